"""Places that ``mutate`` may break without anything that a person, a cluster or a file could see of it, and why."""

from __future__ import annotations

__all__ = ["UNSEEN"]

_FOLDER = "reseat/history/folder.py"
_CORDONING = "reseat/operate/run/cordoning.py"
_IDLISTS = "reseat/formats/rows/idlists.py"
_TABLES = "reseat/formats/tables/"
_REPLICAS = "reseat/operate/checks/replicas.py"
_PROOF = "reseat/planning/proof/"
_SIZE = "reseat/operate/checks/size.py"

#: (file, line as it is typed, what stands in it) and the reason.
UNSEEN: dict[tuple[str, str, str], str] = {
    (
        _FOLDER,
        'self, under: str = "", *, most: int = 100_000, hidden: Hidden = "none", closed: dict[str, str] | None = None',
        "100000",
    ): "how many are in memory at once",
    (
        _CORDONING,
        "gone = {broker for end in ends if end.id > steps[0].id "
        'for broker in _ids(end, "lifted") + _ids(end, "theirs")}',
        "end.id > steps[0].id",
    ): "a step that sets a cordon is none that lifts one",
    (
        "reseat/operate/run/throttling.py",
        'if back.id > latest.id and back.outcome is not None and back.outcome["left"] != [NOT_KNOWN]',
        "back.id > latest.id",
    ): "a step that sets throttles is none that puts them back",
    (
        "reseat/operate/run/telling.py",
        'return bool(self._ledger.rows("sent")) and now - self._stalling.since >= self._pace.stalled_seconds',
        "now - self._stalling.since >= self._pace.stalled_seconds",
    ): "a moment sooner or later",
    (
        "reseat/operate/run/throttling.py",
        "out[topic] = whole if len(whole) <= LONGEST_LIST else _EVERY_REPLICA",
        "len(whole) <= LONGEST_LIST",
    ): "a list of just that length is as good either way: the protocol ends 2,767 bytes later",
    (
        "reseat/operate/checks/another.py",
        'f"This cluster needs a second person\'s approval: plan {request.plan.hash[:12]} has none that counts. "',
        "12",
    ): "how much of the hash is quoted",
    ("reseat/operate/run/sending.py", "if len(waiting) <= ASKED_AHEAD:", "len(waiting) <= ASKED_AHEAD"): (
        "a turn of as many as there are is all of them, from another one on"
    ),
    (_IDLISTS, "for place in range(min(_DIGITS, int(digits.max(initial=0)))):", "0"): (
        "lists without any number have no digit, whatever place is looked at"
    ),
    (
        "reseat/formats/text/describe.py",
        "if headers[position][0] and self._is_plain(headers[position][3]):",
        "0",
    ): "a heading that has a name has a count",
    (
        "reseat/formats/text/describe.py",
        "header_at.append((-1, NONE if self.header is None else self.told.topic(self.header)))",
        "1",
    ): "whatever stands above the first line",
    (
        "reseat/formats/text/kcat.py",
        "topic_at: list[tuple[int, int]] = [(-1, NONE if self.topic is None else self.told.topic(self.topic))]",
        "1",
    ): "the same",
    (
        "reseat/formats/text/describe_lines.py",
        "begins = [found for found in _PARTITION.finditer(text) if found.start() < length]",
        "found.start() < length",
    ): "a blank stands there",
    ("reseat/formats/text/describe_lines.py", "self.last_line = 0", "0"): "set before it is looked at",
    ("reseat/formats/text/form.py", "if len(self.refused) < _REFUSED:", "len(self.refused) < _REFUSED"): (
        "how many are kept; the message tells fewer"
    ),
    (
        "reseat/formats/text/reassignment.py",
        "if self.document.count(key, kept, kept + length) > entries:",
        "self.document.count(key, kept, kept + length) > entries",
    ): "which of two ways finds the same in less time",
    (
        "reseat/formats/text/reassignment.py",
        "entries = len(self.rows.partition) + len(self._wrong)",
        "len(self.rows.partition) + len(self._wrong)",
    ): "the same",
    (_TABLES + "table_names.py", "end: int = 0", "0"): "a table that is no text has none",
    (_TABLES + "table_names.py", "lines: int = 0", "0"): "the same",
    (
        "reseat/formats/text/reassignment.py",
        "if self.document.count(PARTITIONS, 0, kept) > 1:  # the last one's own key, and others",
        "self.document.count(PARTITIONS, 0, kept) > 1",
    ): "the same",
    (
        "reseat/formats/text/reassignment.py",
        "if self.document.count(PARTITIONS, 0, kept) > 1:  # the last one's own key, and others",
        "0",
    ): "a document begins with its bracket",
    (
        "reseat/formats/text/reassignment.py",
        "bare = BARE.fullmatch(document) if len(document) < PIECE else None",
        "len(document) < PIECE",
    ): "a limit that is one more is as good",
    ("reseat/formats/text/reassignment.py", "if stop - start > PIECE + _LONGEST_ENTRY:", "stop - start"): (
        "which of two ways reads the same"
    ),
    (
        "reseat/formats/text/zookeeper.py",
        "self.commands_open = False  # whether the last event was a command, so that a further one waits beside it",
        "False",
    ): ("nothing waits yet"),
    ("reseat/formats/text/cut_off.py", "if at < 0:", "at < 0"): "a row begins with its topic",
    ("reseat/formats/text/cut_off.py", "if at < 0:", "0"): "the same",
    ("reseat/formats/text/cut_off.py", 'at = data.rfind(b"Partition:", 0, max(end, 0))', "0"): "the same",
    (
        _TABLES + "table.py",
        "if header.quoted and (odd or not _rows_are_lines(data, header, arrow.num_rows)):",
        "header.quoted and (odd or not _rows_are_lines(data, header, arrow.num_rows))",
    ): "which of two ways reads the same in less time",
    (
        _TABLES + "table.py",
        "return not header.quoted or (rows == len(row_lines(data, header)) and not ends_open(data, header))",
        "not header.quoted or (rows == len(row_lines(data, header)) and (not ends_open(data, header)))",
    ): "which of two ways reads the same in less time",
    (_TABLES + "table.py", "if len(rows) >= BATCH:", "len(rows) >= BATCH"): "how many are in memory at once",
    ("reseat/formats/rows/gather.py", "if len(self._single) >= _FLUSH:", "len(self._single) >= _FLUSH"): "the same",
    (
        "reseat/formats/rows/masks.py",
        "if replicas.shape[1] * ids.shape[1] > _DIRECT:",
        "replicas.shape[1] * ids.shape[1] > _DIRECT",
    ): "which of two ways finds the same in less time",
    (
        _TABLES + "replica_rows.py",
        "if position is None or not np.array_equal(position, _count_up(starts, table.count)):",
        "position is None",
    ): "rows that are in order are in order once they are sorted, too",
    (
        _TABLES + "csv_rows.py",
        "while end > self._followed and len(lines) <= _MOST_LINES:",
        "len(lines) <= _MOST_LINES",
    ): "a limit that is one more is as good",
    (
        _TABLES + "csv_rows.py",
        "while end > self._followed and len(lines) <= _MOST_LINES:",
        "end > self._followed",
    ): "a quote in the last line that one was followed over is followed on only where that limit was met",
    (
        _TABLES + "csv_cells.py",
        "if not whole or (pc.max(pc.binary_length(cells)).as_py() or 0) <= _LENGTH:  # 0xFFFFFFFFFFFFFFFF wraps around",
        "(pc.max(pc.binary_length(cells)).as_py() or 0) <= _LENGTH",
    ): "which of two ways reads the same in less time",
    (_TABLES + "parquet.py", "longest = pc.max(pc.binary_length(words)).as_py() or 0", "0"): (
        "no limit is below one byte"
    ),
    (
        _TABLES + "csv_cells.py",
        "if not whole or (pc.max(pc.binary_length(cells)).as_py() or 0) <= _LENGTH:  # 0xFFFFFFFFFFFFFFFF wraps around",
        "not whole or (pc.max(pc.binary_length(cells)).as_py() or 0) <= _LENGTH",
    ): "which of two ways reads the same in less time",
    ("reseat/formats/text/reassignment_entries.py", "class Entry(msgspec.Struct, gc=False):", "False"): (
        "what the collector looks at"
    ),
    (
        "reseat/formats/text/reassignment_entries.py",
        "class _StrictEntry(Entry, gc=False, forbid_unknown_fields=True):",
        "False",
    ): "what the collector looks at",
    (
        "reseat/formats/text/reassignment.py",
        "if stop - start > PIECE + _LONGEST_ENTRY:",
        "stop - start > PIECE + _LONGEST_ENTRY",
    ): "which of two ways reads the same",
    (
        "reseat/formats/text/reassignment.py",
        "sentence=f\"The document says version {version[:40].decode('utf-8', 'replace')}; Kafka's tools \"",
        "40",
    ): "how much of the version is quoted",
    (
        _TABLES + "csv_cells.py",
        "if not whole or (pc.max(pc.binary_length(cells)).as_py() or 0) <= _LENGTH:  # 0xFFFFFFFFFFFFFFFF wraps around",
        "0",
    ): "where there is no text, none is too long",
    (
        _TABLES + "table_layout.py",
        "if not ids.size or int(ids.max()) > _TABLE_LIMIT:",
        "int(ids.max()) > _TABLE_LIMIT",
    ): "which of two ways finds the same ids in less time",
    (
        "reseat/operate/run/sending.py",
        "tries = _TRIES if error in LATER else _TRIES_PERHAPS_DEAD if error == _PERHAPS_DEAD else 1",
        "1",
    ): "no further try, whether one or none is allowed",
    (_TABLES + "parquet.py", "if int(lengths.max(initial=0)) > self.limits.replicas:", "0"): (
        "no limit is below one replica"
    ),
    (
        _TABLES + "parquet.py",
        "lengths = np.append(np.asarray(pc.binary_length(column.dictionary).fill_null(0), np.int64), 0)",
        "0",
    ): "a byte more for a text that is not told, of millions",
    (
        _TABLES + "table_writer.py",
        "name: np.full((layout.partition_count, 1), COLUMNS[name].blank, column.dtype)",
        "1",
    ): "a place more that nobody stands in",
    (_TABLES + "table_layout.py", "place = np.zeros(int(ids.max()) + 1, np.intp)", "1"): "a place more for nobody",
    (_TABLES + "table_layout.py", "place[rows] = 1", "1"): "any number but 0 marks those that occur",
    (_TABLES + "table_layout.py", "differing.update(known[which[other[:1000]]].tolist())", "1000"): (
        "how many are named at most"
    ),
    (
        _TABLES + "table_columns.py",
        "codes = np.where(codes == blank, np.int32(NONE), codes - (codes > blank))",
        "codes > blank",
    ): "a code that is blank becomes none",
    (_TABLES + "table_columns.py", 'if "" in words and len(place) == len(words) - 1:', "len(words) - 1"): (
        "which of two ways makes the same codes in less time"
    ),
    (_PROOF + "choices.py", "racks = int(rack.max(initial=0)) + 1", "0"): "a rack more that nobody is in",
    (
        _PROOF + "checker.py",
        "reorder_all: bool = False,",
        "False",
    ): "of a replication factor nothing is told of what leaders could be",
    (
        _PROOF + "circles.py",
        "lowest = int(load.min()) if count else 0",
        "0",
    ): "no load, so that nothing is weighed",
    (_PROOF + "circles.py", "if step % _LOOK_EVERY == 0 and (found := _closed(parent)) is not None:", "0"): (
        "how early a circle is looked for"
    ),
    (_PROOF + "circles.py", "first = at = int(jump[on[0]])  # so far back that it lies on the circle", "0"): (
        "whichever of them is begun at, a circle is found; there are two at least"
    ),
    (_PROOF + "circles.py", "return 2 * int(np.ptp(self.load)) + 3 if self.load.size else 1", "3"): (
        "a weight that is larger than it has to be"
    ),
    (_PROOF + "circles.py", "return 2 * int(np.ptp(self.load)) + 3 if self.load.size else 1", "2"): (
        "a weight that is larger than it has to be"
    ),
    (_PROOF + "circles.py", "return 2 * int(np.ptp(self.load)) + 3 if self.load.size else 1", "1"): (
        "no load, so that nothing is weighed"
    ),
    (
        _PROOF + "circles.py",
        "return self._circle(move=0, square=1) is None",
        "1",
    ): "where moves have no price, any is one",
    (
        _PROOF + "circles.py",
        "guess = max(least, square * (int(np.ptp(load)) - 1)) if load.size else least",
        "1",
    ): "where a search begins",
    (_PROOF + "compared.py", "np.nonzero(got > (got.max(initial=0) if cap is None else cap)),", "0"): (
        "without a cap no broker receives more than the most, whatever stands for that where there is none"
    ),
    (
        _PROOF + "exchange.py",
        "brokers, racks = len(choice.rack), int(choice.rack.max(initial=-1)) + 1",
        "1",
    ): "a rack more that nobody is in",
    (
        _PROOF + "exchange.py",
        "count, self._racks = len(rows), int(choice.rack.max(initial=-1)) + 1",
        "1",
    ): "a rack more that nobody is in",
    (
        _PROOF + "exchange.py",
        "most = max(1, _CELLS // max(racks * max(choice.chosen.shape[1], 1), 1))",
        "_CELLS // max(racks * max(choice.chosen.shape[1], 1), 1)",
    ): "how many are in memory at once",
    (
        _PROOF + "exchange.py",
        "most = max(1, _CELLS // max(racks * max(choice.chosen.shape[1], 1), 1))",
        "racks * max(choice.chosen.shape[1], 1)",
    ): "how many are in memory at once",
    (_PROOF + "exchange.py", "after[every, self._own[more]] -= 1", "1"): (
        "fullest racks that hold the rack it leaves held no more with it"
    ),
    (
        _PROOF + "checker.py",
        "good, edges = exchanges(replace(choice, regions=change.regions), cost <= choice.cost, back)",
        "cost <= choice.cost",
    ): "an exchange that is known is found once more, at the same price",
    (_PROOF + "choices.py", "np.add.at(often, (topic, named), 1)", "1"): "twice as often each, which is as frequent",
    (_PROOF + "choices.py", "adds = (needed > nth) & (left[every, goal] > 0)", "left[every, goal] > 0"): (
        "who needs more brokers than are free has a fault"
    ),
    (_PROOF + "circles.py", "return 2 * len(self.load) + 1", "2 * len(self.load) + 1"): "more than a circle has arcs",
    (
        _PROOF + "circles.py",
        "low, high = (guess + 1, high) if moves > 0 else (low, guess - 1)",
        "moves > 0",
    ): "where nothing moves it was said before",
    (_PROOF + "circles.py", "return self._circle(move=1, square=self._many) is None", "1"): (
        "twice the moves of a circle are fewer still than what a square weighs"
    ),
    (_PROOF + "exchange.py", "cost: int = 0", "0"): "where no other choice has a price, any is one",
    (
        _PROOF + "exchange.py",
        "step = most if choice.others is not None else min(_FIRST, most)",
        "choice.others is not None",
    ): "how many are looked at first",
    (_PROOF + "exchange.py", "wanted = np.append(~(edges | nowhere).all(axis=1), False)", "False"): (
        "whether padding is looked at, which is nowhere"
    ),
    (
        _PROOF + "exchange.py",
        "if choice.others is None and choice.again is None and choice.keeps_racks and choice.bound is None:",
        "choice.again is None",
    ): "whether what is known is looked at once more",
    (
        _PROOF + "exchange.py",
        "weight *= 2 * self._members.shape[1]  # no replica changes so much of what is below",
        "2",
    ): "a weight that is larger than it has to be",
    (
        _PROOF + "checker.py",
        "keeps_first = (factor > change.before_factor) & np.append(~change.leaving, False)[change.before[:, 0]]",
        "False",
    ): "a list without a first replica, which Kafka does not have",
    (_PROOF + "choices.py", "some = row_any(change.comes) & ~shrinks", "row_any(change.comes) & ~shrinks"): (
        "a partition without newcomers has none to exchange, and one that drops and copies makes a move too many"
    ),
    (_PROOF + "choices.py", "gives = np.append(change.targets | change.closed, False)", "False"): (
        "padding is barred nowhere"
    ),
    (_PROOF + "choices.py", "inside = np.append(there, False)", "False"): "padding stays padding",
    (
        _PROOF + "choices.py",
        "plain, at = some & mine & (short == 0), some & mine & (short > 0)",
        "short > 0",
    ): "a last resort that was not needed is seen before",
    (_PROOF + "circles.py", "return self._circle(move=1, square=0) is None", "1"): "moves alone have a price",
    (_PROOF + "circles.py", "far = 2 * square * self._weight", "2"): "a weight that is larger than it has to be",
    (_PROOF + "compared.py", "width = max(current.replicas.shape[1], proposed.replicas.shape[1], 1)", "1"): (
        "a column of padding more"
    ),
    (
        _PROOF + "exchange.py",
        "if choice.others is None and choice.again is None and choice.keeps_racks and choice.bound is None:",
        "choice.bound is None",
    ): "who has a bound has what it could have again",
    (
        _PROOF + "places.py",
        "anywhere = Places(np.ones((1, brokers), np.bool_), np.zeros(current.partition_count, np.int64), most, over)",
        "1",
    ): "a class more that no partition is of",
    (_PROOF + "circles.py", "for _ in range(nodes.bit_length() + 1):", "1"): "once more, on a circle already",
    (_PROOF + "exchange.py", "weight = 1", "1"): "a weight that is larger than it has to be",
    (
        _PROOF + "checker.py",
        "if wish.topics and wish.replication_factor is not None:",
        "wish.topics and wish.replication_factor is not None",
    ): "half a wish is refused before",
    (
        _PROOF + "checker.py",
        "names, factor = frozenset(wish.topics), wish.replication_factor or 0",
        "0",
    ): "a factor that is wished for is at least 1",
    (
        _PROOF + "checker.py",
        "proven = _moves_and_squares(graph, spread=not wish.mend_racks, limit=0 if limited else None, least=1)",
        "1",
    ): "two of the parts of a square that a move may cost are as little as one",
    (
        _PROOF + "checker.py",
        "proven = _moves_and_squares(graph, spread=False, limit=0 if limited else None, least=1)",
        "1",
    ): "as before",
    (
        _PROOF + "checker.py",
        "places, targets = places_kept(change, wish.options, moves=True), change.targets",
        "True",
    ): "a topic that is looked at alone shares no broker with another",
    (_PROOF + "choices.py", "least_moves: int = 0", "0"): "where balance says how many move, nobody asks",
    (
        _PROOF + "choices.py",
        "last_resorts_needed: bool = True",
        "True",
    ): "where balance says how many move, nobody asks",
    (_PROOF + "circles.py", "return 2 * len(self.load) + 1", "1"): "more than a circle has arcs",
    (
        _PROOF + "circles.py",
        "distance, parent = np.zeros(nodes, np.int64), np.full(nodes, -1, np.int64)",
        "1",
    ): "any number below 0 is nobody",
    (
        _PROOF + "circles.py",
        "shorter = np.minimum(distance, through.min(axis=0))",
        "0",
    ): "backwards a circle is one, too",
    (
        _PROOF + "circles.py",
        "if step % _LOOK_EVERY == 0 and (found := _closed(parent)) is not None:",
        "step % _LOOK_EVERY == 0",
    ): "how early a circle is looked for",
    (
        _PROOF + "circles.py",
        "on = np.flatnonzero(jump[:-1] != nodes)",
        "1",
    ): "whichever of them is begun at, a circle is found; there are two at least",
    (
        _PROOF + "circles.py",
        "guess = max(least, square * (int(np.ptp(load)) - 1)) if load.size else least",
        "int(np.ptp(load)) - 1",
    ): "where a search begins",
    (
        _PROOF + "compared.py",
        "codes = np.append(rack, -1).astype(np.int32)  # padding is -1: the last",
        "1",
    ): "any number below 0 is padding",
    (
        _PROOF + "exchange.py",
        "most = max(1, _CELLS // max(racks * max(choice.chosen.shape[1], 1), 1))",
        "1",
    ): "how many are in memory at once",
    (
        _PROOF + "exchange.py",
        "nowhere = ~choice.targets | np.eye(brokers, dtype=np.bool_)",
        "~choice.targets | np.eye(brokers, dtype=np.bool_)",
    ): "whether what is known is looked at once more",
    (
        _PROOF + "exchange.py",
        "wanted = np.append(~(edges | nowhere).all(axis=1), False)",
        "edges | nowhere",
    ): "as before",
    (
        _PROOF + "exchange.py",
        "if choice.others is None and choice.again is None and choice.keeps_racks and choice.bound is None:",
        "choice.others is None",
    ): "as before",
    (
        _PROOF + "exchange.py",
        "left = left[row_any(there & choice.chosen.take(left, axis=0))]",
        "there & choice.chosen.take(left, axis=0)",
    ): "as before",
    (_PROOF + "exchange.py", "self._place = np.full(self._racks, -1)", "1"): "any number below 0 is nowhere",
    (
        _PROOF + "leaders.py",
        "after = np.where(may_lead, np.append(change.leads_after, 0)[lists], change.leads_after.max())",
        "0",
    ): "padding may not lead",
    (
        _PROOF + "leaders.py",
        "return graph.within(spent=True, least=1), False",
        "1",
    ): "two of the parts of a square that a change may cost are as little as one",
    (
        _PROOF + "places.py",
        "wide = np.append(self.allowed, np.ones((len(self.allowed), 1), np.bool_), axis=1)",
        "1",
    ): "padding is the last column, however many there are",
    (_PROOF + "leaders.py", "late = held & np.append(change.alive, False)[lists]", "False"): "padding holds nothing",
    (_REPLICAS, "told = now.in_sync_known[rows] & (least >= 0)", "least >= 0"): (
        "Kafka takes no min.insync.replicas of 0, so that it is told as one of 1, or not"
    ),
    (_REPLICAS, "told = now.in_sync_known[rows] & (least >= 0)", "0"): "as before",
    (
        _REPLICAS,
        "if ours is not None and theirs is not None:",
        "ours is not None and theirs is not None",
    ): "both layouts have the same brokers, so that both have racks or neither",
    (_SIZE, "grown = np.flatnonzero((most > _NODE_BYTES) & (before <= _NODE_BYTES))", "most > _NODE_BYTES"): (
        "thousands of bytes are left below ZooKeeper's own limit"
    ),
    (_SIZE, "grown = np.flatnonzero((most > _NODE_BYTES) & (before <= _NODE_BYTES))", "before <= _NODE_BYTES"): (
        "as before"
    ),
    (
        _SIZE,
        "rows = diff.moving[(np.bincount(layout.topic_of) >= _FEWEST)[in_topic[diff.moving]]]",
        "np.bincount(layout.topic_of) >= _FEWEST",
    ): "a topic of so few partitions is far from the limit",
}
