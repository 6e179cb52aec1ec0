"""Makes the versions of a library's symbols default ones (`cudaMalloc@@libcudart.so.12`), as dlsym wants them.

The linker cannot do it for a forwarder, which defines and needs the same names under two versions: it takes a default definition
for the needed one. Defined as `cudaMalloc@libcudart.so.12` they link; what then differs is one bit per symbol, cleared here.

Usage: default_versions.py LIBRARY
"""
import struct
import sys

VERSYM, HIDDEN = 0x6FFFFFFF, 0x8000  # section type SHT_GNU_versym; VERSYM_HIDDEN


def main():
    with open(sys.argv[1], "r+b") as f:
        data = bytearray(f.read())
        if data[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"{sys.argv[1]}: not a 64-bit little-endian ELF file")
        headers, = struct.unpack_from("<Q", data, 40)
        size, count = struct.unpack_from("<HH", data, 58)
        for i in range(count):
            _, kind, _, _, offset, length = struct.unpack_from("<IIQQQQ", data, headers + i * size)
            if kind != VERSYM:
                continue
            versions = struct.unpack_from(f"<{length // 2}H", data, offset)
            struct.pack_into(f"<{length // 2}H", data, offset, *(v & ~HIDDEN for v in versions))
        f.seek(0)
        f.write(data)


main()
