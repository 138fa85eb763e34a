"""What a disk may hold after a loss of power, for the recorded calls of a program.

The model is stricter than most file systems. What was written to a file since it was last flushed (fsync) may be missing,
may be there in part, or may be zeros; an entry of a folder (created, renamed, removed) that has changed since that
folder was last flushed may have changed or not, whatever happened to other entries. Flushing a file does not flush its
entry in its folder. A rename within or between folders happens as a whole or not at all, and is on the disk when the
folder with the new name is flushed."""

import dataclasses
import os

NOTHING, HALF, ZEROS, ALL = "nothing", "half", "zeros", "all"


class File:
    def __init__(self, content=b""):
        self.durable = content
        self.pending = []  # (offset, bytes), or (size, None) for a truncation

    def flush(self):
        self.durable = self.content(ALL)
        self.pending = []

    def content(self, share):
        """The content if that share of what was written since the last flush is on the disk."""
        if share == NOTHING or not self.pending:
            return self.durable
        changes = self.pending
        if share == HALF:
            changes = changes[: (len(changes) + 1) // 2]
            if changes and changes[-1][1]:
                offset, data = changes[-1]
                changes = [*changes[:-1], (offset, data[: len(data) // 2])]
        content = bytearray(self.durable)
        for offset, data in changes:
            if data is None:
                content = content[:offset].ljust(offset, b"\0")
                continue
            content = content.ljust(offset, b"\0")
            content[offset : offset + len(data)] = bytes(len(data)) if share == ZEROS else data
        return bytes(content)


class Folder:
    def __init__(self):
        self.entries = {}  # as programs see them


@dataclasses.dataclass
class Change:
    """A change of entries that happens as a whole."""

    removed: list  # (folder, name, node)
    added: list  # (folder, name, node)
    needs_free_name: bool = False

    def apply(self, entries):
        if self.needs_free_name and any(name in entries[folder] for folder, name, _ in self.added):
            return  # impossible without an earlier change that is not on the disk
        for folder, name, node in self.removed:
            if entries[folder].get(name) is node:
                del entries[folder][name]
        for folder, name, node in self.added:
            entries[folder][name] = node

    def is_flushed_with(self, folder):
        return any(place[0] is folder for place in self.added or self.removed)


class Disk:
    """A folder, of which everything is on the disk at first."""

    def __init__(self, path):
        self.root = Folder()
        self.durable = {self.root: {}}  # folder -> entries on the disk
        self.changes = []  # not yet on the disk, in their order
        self.open_files = {}  # inode -> File
        self.load(path, self.root)

    def load(self, path, folder):
        for entry in os.scandir(path):
            if entry.is_dir(follow_symlinks=False):
                node = Folder()
                self.durable[node] = {}
                self.load(entry.path, node)
            else:
                with open(entry.path, "rb") as file:
                    node = File(file.read())
            folder.entries[entry.name] = node
            self.durable[folder][entry.name] = node

    def find(self, path):
        node = self.root
        for name in filter(None, path.split("/")):
            node = node.entries[name]
        return node

    def place(self, path):
        folder, _, name = path.rpartition("/")
        return self.find(folder), name

    def change(self, removed, added, needs_free_name=False):
        change = Change(removed, added, needs_free_name)
        change.apply({folder: folder.entries for folder, _, _ in removed + added})
        self.changes.append(change)

    def apply(self, call):
        """Does what a recorded call did."""
        if call.result < 0:
            return
        getattr(self, f"apply_{call.name}")(call)

    def apply_open(self, call):
        folder, name = self.place(call.path)
        if "create" in call.note:
            self.change([], [(folder, name, File())], needs_free_name=True)
        file = folder.entries[name]
        self.open_files[call.inode] = file
        if "truncate" in call.note and file.content(ALL):
            file.pending.append((0, None))

    def apply_write(self, call):
        self.open_files[call.inode].pending.append((call.offset, call.data))

    def apply_truncate(self, call):
        self.open_files[call.inode].pending.append((call.offset, None))

    def apply_fsync(self, call):
        node = self.open_files.get(call.inode)
        if node is None:
            node = self.find(call.path)
        if isinstance(node, File):
            node.flush()
            return
        for change in self.changes:
            if change.is_flushed_with(node):
                change.apply(self.durable)
        self.changes = [change for change in self.changes if not change.is_flushed_with(node)]

    def apply_close(self, call):
        pass  # closing flushes nothing

    def apply_mkdir(self, call):
        folder, name = self.place(call.path)
        node = Folder()
        self.durable[node] = {}
        self.open_files.pop(call.inode, None)  # the inode of a file that was removed
        self.change([], [(folder, name, node)], needs_free_name=True)

    def apply_unlink(self, call):
        folder, name = self.place(call.path)
        self.change([(folder, name, folder.entries[name])], [])

    apply_rmdir = apply_unlink

    def apply_rename(self, call):
        old, old_name = self.place(call.path)
        new, new_name = self.place(call.other_path)
        node = old.entries[old_name]
        self.change([(old, old_name, node)], [(new, new_name, node)], needs_free_name=isinstance(node, Folder))

    def apply_exchange(self, call):
        first, first_name = self.place(call.path)
        second, second_name = self.place(call.other_path)
        self.change(
            [], [(second, second_name, first.entries[first_name]), (first, first_name, second.entries[second_name])]
        )

    def state(self, has_change, share_of):
        """The files after a loss of power, {path: content}, with None for a folder. `has_change(change)`: whether a
        change of entries is on the disk; `share_of(file)`: which share of a file's bytes."""
        entries = {folder: dict(durable) for folder, durable in self.durable.items()}
        for change in self.changes:
            if has_change(change):
                change.apply(entries)
        files = {}

        def collect(folder, prefix):
            for name, node in entries[folder].items():
                if isinstance(node, File):
                    files[prefix + name] = node.content(share_of(node))
                else:
                    files[prefix + name] = None
                    collect(node, f"{prefix}{name}/")

        collect(self.root, "")
        return files

    def states(self, random, subsets):
        """The extreme states, then `subsets` random ones, as (description, files)."""
        for has_change in (False, True):
            for share in (NOTHING, HALF, ZEROS, ALL):
                description = f"entries {'new' if has_change else 'old'}, bytes not flushed: {share}"
                yield description, self.state(lambda _, has=has_change: has, lambda _, share=share: share)
        for subset in range(subsets):
            yield (
                f"random subset {subset}",
                self.state(lambda _: random.random() < 0.5, lambda _: random.choice((NOTHING, HALF, ZEROS, ALL))),
            )


def write_state(files, folder):
    for path, content in files.items():
        if content is None:
            (folder / path).mkdir(parents=True, exist_ok=True)
        else:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
