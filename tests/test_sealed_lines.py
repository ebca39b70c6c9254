"""Records in files: what is cut short, damaged or foreign is left out, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayish._support.sealed_lines import append_entry, read_entries


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "records.jsonl"
    for number in range(3):
        append_entry(found, {"number": number, "text": "ä"})
    return found


def numbers(path: Path) -> list[int]:
    return [entry["number"] for entry in read_entries(path)]


def test_entries_come_back_in_order_without_their_seals(path: Path) -> None:
    assert list(read_entries(path)) == [{"number": each, "text": "ä"} for each in range(3)]


def test_a_file_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert list(read_entries(tmp_path / "none")) == []


def test_an_entry_that_was_cut_short_is_none_and_takes_no_other_along(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])
    assert numbers(path) == [0, 1]
    append_entry(path, {"number": 9})
    assert numbers(path) == [0, 1, 9]


@pytest.mark.parametrize("line", ["[1]", "7", "{}", '{"number": 5}', "\udcff", "[" * 99_999, "nan"])
def test_lines_that_are_no_entries_are_left_out(path: Path, line: str) -> None:
    with path.open("ab") as file:
        file.write(line.encode("utf-8", "surrogateescape") + b"\n")
    assert numbers(path) == [0, 1, 2]


def test_a_byte_that_changes_costs_its_own_entry_alone(path: Path) -> None:
    before = path.read_bytes()
    begin, end = before.index(b"\n") + 1, before.rindex(b"\n", 0, -1)
    for at in range(begin, end, 3):
        changed = bytearray(before)
        changed[at] ^= 1
        path.write_bytes(changed)
        assert numbers(path) == [0, 2], at
