"""The records of TensorBoard's event files, read without TensorBoard."""

import struct

HEAD = struct.Struct("<QI")  # length, masked sum of the length
SUM = struct.Struct("<I")


def castagnoli(data):
    total = 0xFFFFFFFF
    for byte in data:
        total ^= byte
        for _ in range(8):
            total = total >> 1 ^ (0x82F63B78 if total & 1 else 0)
    return total ^ 0xFFFFFFFF


def masked(total):
    return ((total >> 15 | total << 17) + 0xA282EAD8) & 0xFFFFFFFF


def read_records(file):
    """The whole records at the beginning of an event file, and the bytes after them."""
    content, records = file.read_bytes(), []
    while len(content) >= HEAD.size:
        length, length_sum = HEAD.unpack_from(content)
        end = HEAD.size + length
        if length_sum != masked(castagnoli(content[:8])) or len(content) < end + SUM.size:
            break
        data = content[HEAD.size : end]
        if SUM.unpack_from(content, end)[0] != masked(castagnoli(data)):
            break
        records.append(data)
        content = content[end + SUM.size :]
    return records, content


def step_of(record):
    """The step of an event that has one below 128, as in short trainings; else None."""
    return record[10] if len(record) > 10 and record[9] == 0x10 else None
