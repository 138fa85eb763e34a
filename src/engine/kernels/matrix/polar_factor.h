#pragma once

#include <array>
#include <cstdint>

#include "kernels/matrix/packed_matrix.h"

namespace translate {

/// Maps every singular value s of a matrix to first s + third s^3 + fifth s^5.
struct OddQuintic {
  float first;
  float third;
  float fifth;
};

/// Applied in order, these polynomials map all singular values from 0.001 to 1 to between 0.876 and 1.124, and multiply
/// smaller ones by about a thousand. They are those of Amsel et al. 2025, "The Polar Express: Optimal Matrix Sign
/// Methods and Their Application to the Muon Algorithm": each is the nearest to 1 on the range that the one before
/// leaves.
inline constexpr std::array<OddQuintic, 5> kPolarRounds = {{
    {8.28721201814563F, -23.595886519098837F, 17.300387312530933F},
    {4.107059111542203F, -2.9478499167379106F, 0.5448431082926601F},
    {3.9486908534822946F, -2.908902115962949F, 0.5518191394370137F},
    {3.3184196573706015F, -2.488488024314874F, 0.51004894012372F},
    {2.300652019954817F, -1.6689039845747493F, 0.4188073119525673F},
}};

/// A matrix whose squared norm is below this has no meaningful direction.
inline constexpr double kLeastSquaredNorm = 1e-30;

/// out (rows, columns) = about U V^T for x = U S V^T (rows, columns): applies kPolarRounds to x divided by its
/// Frobenius norm, so that singular values relative to the norm are mapped as described there. The result is zero if
/// the norm is. Runs on one thread, in single precision.
void polar_factor(std::int64_t rows, std::int64_t columns, const ConstRows& x, const Rows& out);

}  // namespace translate
