"""Marian's binary container, the quantized matrices of Bergamot in it, and its lexical shortlists: for
scripts/make-marian-golden. The formats are described in docs/interop.md."""

import struct

TYPES = {"int8": 0x101, "float32": 0x404}
INTGEMM8 = 0x4101
ALIGNMENT = 256
MASK = (1 << 64) - 1


class Quantized:
    """A matrix of 8 bits: its shape in Marian, and its numbers with the factor behind them."""

    def __init__(self, shape, data):
        self.shape, self.data = shape, data


def quantize(arrays):
    """Returns the items of a quantized model, and the arrays of single precision that they stand for."""
    import numpy
    items, values = {}, {}
    for name, array in arrays.items():
        is_table, is_matrix = "Wemb" in name, name[:-1].endswith("_W") or name.endswith("_W")
        items[name] = values[name] = array
        if is_table or is_matrix:
            factor = numpy.float32(127) / numpy.abs(array).max()
            numbers = numpy.rint(array * factor).astype("i1")
            values[name] = numbers.astype("f4") / factor
            ordered = numbers if is_table else numbers.T
            items[name] = Quantized(array.shape, ordered.tobytes() + factor.tobytes())
            items[name + "_QuantMultA"] = numpy.full((1, 1), 16, dtype="f4")
    items["none_QuantMultA"] = numpy.full((1, 1), 16, dtype="f4")
    return items, values


def container(items):
    """The bytes of a .bin file: all headers, all names, all shapes, padding, and the data of the items."""
    names = sorted(name for name in items if not name.startswith("special:"))
    names += [name for name in items if name.startswith("special:")]
    headers, titles, shapes, data = b"", b"", b"", b""
    for name in names:
        item = items[name]
        is_quantized = isinstance(item, Quantized)
        content = item.data if is_quantized else item.tobytes()
        if not name.startswith("special:"):
            content += bytes(-len(content) % ALIGNMENT)
        title = name.encode() + b"\0"
        kind = INTGEMM8 if is_quantized else TYPES[str(item.dtype)]
        headers += struct.pack("<4Q", len(title), kind, len(item.shape), len(content))
        titles += title
        shapes += struct.pack(f"<{len(item.shape)}i", *item.shape)
        data += content
    begin = struct.pack("<2Q", 1, len(names)) + headers + titles + shapes
    padding = -(len(begin) + 8) % ALIGNMENT
    return begin + struct.pack("<Q", padding) + bytes(padding) + data


def shortlist(lists, first, best=50):
    """The bytes of a shortlist: for each source subword the target subwords that may translate it."""
    offsets = [0]
    for ids in lists:
        offsets.append(offsets[-1] + len(ids))
    ids = [i for part in lists for i in part]
    body = struct.pack("<4Q", first, best, len(offsets), len(ids)) + struct.pack(f"<{len(offsets)}Q", *offsets)
    body += struct.pack(f"<{len(ids)}I", *ids)
    checksum = 0
    for (word,) in struct.iter_unpack("<Q", body[:len(body) // 8 * 8]):
        checksum ^= (word + 0x9e3779b9 + (checksum << 6) + (checksum >> 2)) & MASK
    return struct.pack("<2Q", 0xF11A48D5013417F5, checksum) + body
