// The picture that is being drawn: data and what was done since; and how large tiles can be.

function modelOf(data, pending) {
  const { brokers: columns, racks, rackNames } = data;
  const brokers = new Map();
  columns.id.forEach((id, at) => {
    brokers.set(id, {
      id,
      at,
      rack: columns.rack[at],
      host: columns.host ? columns.host[at] : "",
      state: columns.state[at],
      replicas: columns.replicas[at],
      leaders: columns.leaders ? columns.leaders[at] : null,
      behind: columns.behind ? columns.behind[at] : 0,
      stuck: columns.stuck ? columns.stuck[at] : 0,
      bytes: columns.bytes ? columns.bytes[at] : null,
      after: columns.after ? columns.after[at] : null,
      leadersAfter: columns.leadersAfter ? columns.leadersAfter[at] : null,
      bytesAfter: columns.bytesAfter ? columns.bytesAfter[at] : null,
      directories: data.directories[id] ?? [],
      added: false,
    });
  });
  const out = new Set(data.out);
  for (const id of data.added) if (brokers.has(id)) brokers.get(id).added = true;
  for (const change of pending) {
    if (change.do === "out") {
      for (const id of change.brokers) {
        if (brokers.get(id)?.added) brokers.delete(id);
        else if (brokers.has(id)) out.add(id);
      }
    } else if (change.do === "back") {
      for (const id of change.brokers) out.delete(id);
    } else if (change.do === "add") {
      const rack = change.rack === null ? NO_RACK : racks.indexOf(change.rack);
      brokers.set(change.broker, {
        ...{ host: "", state: UNKNOWN, replicas: 0, leaders: null, bytes: null, behind: 0, stuck: 0, at: -1, directories: [] },
        ...brokers.get(change.broker),
        ...{ id: change.broker, rack, added: true },
      });
    } else if (change.do === "reset") {
      out.clear();
      for (const [id, broker] of brokers) if (broker.added) brokers.delete(id);
    }
  }
  const planned = data.planned && pending.length === 0;
  if (!planned) for (const broker of brokers.values()) broker.after = broker.leadersAfter = broker.bytesAfter = null;
  const groups = new Map(racks.map((_, rack) => [rack, []]));
  for (const broker of brokers.values()) {
    if (!groups.has(broker.rack)) groups.set(broker.rack, []);
    groups.get(broker.rack).push(broker);
  }
  for (const group of groups.values()) group.sort((one, other) => one.id - other.id);
  let top = 1;
  let low = Infinity;
  let total = 0;
  let holders = 0;
  for (const broker of brokers.values()) {
    top = Math.max(top, broker.replicas, broker.after ?? 0);
    if (!out.has(broker.id)) low = Math.min(low, broker.replicas, broker.after ?? Infinity);
    total += broker.after ?? broker.replicas;
    if (broker.state !== DEAD && !(planned && out.has(broker.id))) holders += 1;
  }
  // Colours never stretch a difference of a few replicas over the whole scale.
  low = Math.min(low, Math.floor(0.9 * top));
  const mean = total / Math.max(holders, 1);
  return { racks, rackNames, noRack: data.noRack, brokers, out, groups, planned, low, top, scale: top * 1.06, mean };
}

const rackWords = (model, rack) => {
  if (rack === NO_RACK) return model.noRack;
  const name = model.rackNames[rack];
  return /^rack/i.test(name) ? name : `rack ${name}`;
};

// ---- how large tiles can be ------------------------------------------------------------------------------------------

function fit(width, sizes, { digits, withIds, zoom }) {
  const racks = Math.max(sizes.length, 1);
  const height = Math.max(ROOM, window.innerHeight / zoom - AROUND);
  const wide = Math.ceil(DIGIT * (digits + 1) + 5);
  const tries = [...MODES, { ...ID_CELL, least: wide, most: wide + 8, numbered: true }];
  if (!withIds) {
    for (const side of CELLS) tries.push({ name: "cell", least: side, most: side, height: side, tallest: side, gap: 2 });
  }
  let flattest = null; // where nothing fits: the smallest cells, as low as they can be
  for (const mode of tries) {
    const { gap } = mode;
    for (let across = racks; across >= 1; across -= 1) {
      const rackWidth = (width - RACK_GAP * (across - 1)) / across;
      const inner = rackWidth - 2 * RACK_PADDING;
      if (across > 1 && rackWidth < 60) continue;
      // As few tiles side by side as the height allows: wide tiles say more. As many as are needed before there is room left.
      const beside = Math.min(Math.max(1, ...sizes), Math.max(1, Math.floor((inner + gap) / (mode.most + gap))));
      for (let perRow = beside; perRow * (mode.least + gap) - gap <= inner; perRow += 1) {
        let rows = 0;
        let around = 0;
        for (let first = 0; first < racks; first += across) {
          rows += Math.ceil(Math.max(1, ...sizes.slice(first, first + across)) / perRow);
          around += HEAD + RACK_PADDING + RACK_GAP;
        }
        const filled = Math.floor((inner - gap * (perRow - 1)) / perRow), tile = mode.name === "cell" ? Math.min(mode.most, filled) : filled;
        const room = Math.floor((height - around) / rows) - gap;
        const high = Math.max(mode.height, Math.min(mode.tallest, room));
        const fitted = { mode: mode.name, numbered: mode.numbered, across, perRow, tile, height: high, gap, rackWidth };
        if (room >= mode.height) return fitted;
        const total = around + rows * (high + gap);
        if (mode === tries.at(-1) && !(flattest?.total <= total)) flattest = { ...fitted, total };
      }
    }
  }
  return flattest ?? { mode: "cell", across: 1, perRow: 1, tile: 12, height: 12, gap: 2, rackWidth: width };
}
