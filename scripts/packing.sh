# shellcheck shell=bash
# What the scripts share that pack programs with the libraries that they need; sourced by them after common.sh.

# Makes libicudata.so.N in a folder: the system's, without the data that libtranslate does not read. Left are the rules for
# sentences and plurals, the names of languages in English, and the tables of normalisation: 4 MB of 31.
reduce_icu() {
  local folder="$1" library version all address size
  library="$(ldconfig -p | awk '/libicudata\.so\.[0-9]+ / && !found {print $NF; found = 1}')"
  [[ -n $library ]] || fail "libicudata was not found; scripts/setup installs libicu-dev."
  version="${library##*.}"
  all="$folder/all/icudt${version}l.dat"
  mkdir -p "$folder/all"
  # The data are one symbol of the library, in .rodata, which lies in the file where it lies in memory.
  read -r address size < <(readelf --wide --dyn-syms "$library" | awk -v name="icudt${version}_dat" '$8 == name {print $2, $3}')
  [[ -n ${size:-} ]] || fail "$library has no symbol icudt${version}_dat"
  dd if="$library" of="$all" iflag=skip_bytes,count_bytes skip="$((16#$address))" count="$((size))" bs=1M status=none
  /usr/sbin/icupkg --list "$all" | grep --invert-match --extended-regexp \
    '^((root|pool|res_index|likelySubtags|plurals|pluralRanges|icuver|numberingSystems|supplementalData|metadata|langInfo|keyTypeData|[a-z]{2,3})\.res|(nfkc|nfkc_cf|uts46)\.nrm|cnvalias\.icu|ulayout\.icu|lang/(root|pool|res_index|en)\.res|brkitr/.*\.(brk|res))$' \
    >"$folder/removed.txt"
  /usr/sbin/icupkg --ignore-deps --remove "$folder/removed.txt" "$all" "$folder/icudt${version}l.dat" 2>"$folder/messages.txt"
  (cd "$folder" && /usr/sbin/genccode -a gcc --name "icudt${version}l" -e "icudt$version" "icudt${version}l.dat" >>messages.txt)
  gcc -shared -Wl,-soname,"libicudata.so.$version" -o "$folder/libicudata.so.$version" "$folder/icudt${version}l_dat.S"
}

# Prints the paths of the libraries that files need, but for those of the C library, which every system has.
libraries_of() {
  ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort --unique |
    grep --invert-match --extended-regexp '/(libc|libm|libdl|librt|libpthread|libresolv)\.so\.[0-9]+$'
}

# Copies the licences of Debian's libraries into a folder: copy_licences FOLDER PATH...
copy_licences() {
  local folder="$1" library package
  shift
  mkdir -p "$folder"
  for library in "$@"; do
    # A package names its files with or without the links of /lib, and a library that was copied by its name alone.
    package="$(dpkg-query --search "$library" 2>/dev/null || dpkg-query --search "$(realpath "$library")" 2>/dev/null ||
      dpkg-query --search "*/$(basename "$library")")"
    package="${package%%:*}"
    cp --dereference "/usr/share/doc/$package/copyright" "$folder/$package.txt"
  done
}

# Prints the newest version of the C library that files need, such as 2.34.
needed_glibc() {
  readelf --wide --version-info "$@" | grep --only-matching --perl-regexp 'Name: GLIBC_\K[0-9.]+' | sort --version-sort |
    tail --lines 1
}
