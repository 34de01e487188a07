// A broker: its tile, its words, its focus, and whether it is selected.

class Tiles {
  makeTile(id, place, kept) {
    const tile = element("div", "tile");
    tile.dataset.id = String(id);
    tile.dataset.place = place;
    tile.tabIndex = -1;
    tile.setAttribute("role", "option");
    const line = element("span", "line", tile);
    const parts = { id: element("span", "id", line), host: element("span", "host", line) };
    parts.held = element("span", "held", line);
    parts.badge = element("span", "badge", line);
    parts.mark = element("span", "mark", line);
    const bar = element("span", "bar", tile);
    for (const name of ["hold", "come", "gone", "lead"]) parts[name] = element("i", name, bar);
    element("i", "mean", bar);
    parts.facts = element("span", "facts", tile);
    parts.replicas = element("span", "fact", parts.facts);
    parts.leaders = element("span", "fact", parts.facts);
    parts.bytes = element("span", "fact", parts.facts);
    tile.parts = parts;
    write(parts.id, String(id));
    kept?.set(id, tile);
    return tile;
  }

  fillTile(tile, broker) {
    const { model } = this;
    const inTray = tile.dataset.place === "tray";
    const out = model.out.has(broker.id);
    const ghost = out && !inTray;
    const now = out ? broker.replicas : (broker.after ?? broker.replicas);
    const leaders = out ? broker.leaders : (broker.leadersAfter ?? broker.leaders);
    const delta = out ? 0 : now - broker.replicas;
    const kept = Math.min(now, broker.replicas);
    const bytes = out ? broker.bytes : (broker.bytesAfter ?? broker.bytes);
    const share = (value) => (value / model.scale).toFixed(4);
    const { parts } = tile;
    style(parts.hold, "transform", `scaleX(${share(kept)})`);
    style(parts.lead, "transform", `scaleX(${share(Math.min(leaders ?? 0, now))})`);
    const strip = (node, from, length) =>
      style(node, "transform", `translateX(${(100 * from) / model.scale}%) scaleX(${share(length)})`);
    strip(parts.come, kept, Math.max(delta, 0));
    strip(parts.gone, kept, Math.max(-delta, 0));
    const load = (now - model.low) / Math.max(1, model.top - model.low);
    style(tile, "--heat", heat(load));
    style(tile, "--ink", load > 0.55 ? "#14171c" : "#ffffff");
    write(parts.host, broker.added ? "new" : broker.host);
    write(parts.badge, delta ? signed(delta) : "");
    parts.badge.className = delta < 0 ? "badge less" : "badge";
    // A broker with a replica or two behind is ordinary in a large cluster: marks are for those that lag as a whole.
    const lags = broker.behind > BEHIND_SHARE * broker.replicas;
    const offline = offlineOf(broker);
    const mark = MARKS[broker.state] || (lags || offline ? "▲" : "");
    const word = MARKS[broker.state]
      ? STATES[broker.state]
      : offline
        ? `${count(offline, "disk")} offline`
        : `${number.format(broker.behind)} out of sync`;
    write(parts.mark, mark && (inTray ? mark : `${mark} ${word}`));
    write(parts.held, number.format(now));
    write(parts.replicas, inTray ? number.format(now) : count(now, "replica"));
    write(parts.leaders, leaders === null ? "" : this.leads(leaders, "preferred"));
    write(parts.bytes, bytes === null ? "" : size(bytes));
    tile.classList.toggle("ghost", ghost);
    tile.classList.toggle("added", broker.added);
    tile.classList.toggle("receives", delta > 0);
    tile.classList.toggle("dead", broker.state === DEAD);
    tile.classList.toggle("troubled", (broker.state > 0 && broker.state < DEAD) || (broker.state !== DEAD && (lags || offline > 0)));
    attribute(tile, "aria-selected", ghost ? null : String(this.selected.has(broker.id)));
    attribute(tile, "aria-hidden", ghost ? "true" : null);
    attribute(tile, "aria-label", this.nameOf(broker, now, leaders, delta, inTray));
  }

  // Leaders with the name of what is counted: the same before and after a plan.
  leads(leaders, short = null) {
    if (this.data.leads !== "preferred") return count(leaders, "leader");
    return short ? `${number.format(leaders)} ${short}` : count(leaders, "preferred leader");
  }

  nameOf(broker, now, leaders, delta, inTray) {
    return [
      `Broker ${broker.id}`,
      rackWords(this.model, broker.rack),
      count(now, "replica"),
      ...(leaders === null ? [] : [this.leads(leaders)]),
      broker.added ? "new" : STATES[broker.state],
      ...(broker.behind ? [`${number.format(broker.behind)} out of sync`] : []),
      ...(offlineOf(broker) ? [`${directoriesOf(offlineOf(broker))} offline`] : []),
      ...(delta ? [`${number.format(Math.abs(delta))} ${delta > 0 ? "more" : "fewer"} than before`] : []),
      ...(inTray ? ["removed"] : []),
    ].join(", ");
  }

  activeTile() {
    return this.tileAt(this.root.getRootNode().activeElement);
  }

  tileAt(node) {
    const tile = node instanceof Element ? node.closest(".tile") : null;
    return tile && this.root.contains(tile) ? tile : null;
  }

  focusTile(node) {
    if (!node) return;
    this.current?.setAttribute("tabindex", "-1");
    this.current = node;
    node.tabIndex = 0;
    node.focus({ preventScroll: false });
  }

  roving(focus) {
    // The one tile that Tab reaches; where the focused tile went away, its other self takes the focus.
    if (focus && !this.root.contains(this.root.getRootNode().activeElement)) {
      const { id, inTray } = focus;
      const rack = this.tiles.get(id);
      const standing = rack && !rack.classList.contains("ghost") ? rack : null;
      this.focusTile((inTray ? standing : this.trayTiles.get(id)) ?? this.trayTiles.get(id) ?? standing ?? this.first());
      return;
    }
    const usable = this.current?.isConnected && !this.current.classList.contains("ghost");
    if (!usable) {
      this.current?.setAttribute("tabindex", "-1");
      this.current = this.first();
      if (this.current) this.current.tabIndex = 0;
    }
  }

  first() {
    return this.root.querySelector(".rack-list .tile:not(.ghost)") ?? this.root.querySelector(".rack-head");
  }

  focused(event) {
    const node = this.tileAt(event.target) ?? event.target.closest?.(".rack-head");
    if (!node) return;
    if (this.current && this.current !== node) this.current.setAttribute("tabindex", "-1");
    this.current = node;
    node.tabIndex = 0;
    if (!this.lift && !this.press) this.explain(this.tileAt(node));
  }

  select(id, event) {
    const place = (broker) => this.model.out.has(broker);
    for (const other of [...this.selected]) if (place(other) !== place(id)) this.selected.delete(other);
    if (event.shiftKey && this.anchor !== null && this.anchor !== id) {
      const order = [...this.root.querySelectorAll(".racks .tile:not(.ghost), .tray .tile")].map((tile) =>
        Number(tile.dataset.id),
      );
      const [from, to] = [order.indexOf(this.anchor), order.indexOf(id)].sort((one, other) => one - other);
      if (from >= 0) for (const other of order.slice(from, to + 1)) if (place(other) === place(id)) this.selected.add(other);
    } else if (event.ctrlKey || event.metaKey) {
      if (!this.selected.delete(id)) this.selected.add(id);
      this.anchor = id;
    } else {
      const alone = this.selected.size === 1 && this.selected.has(id);
      this.selected.clear();
      if (!alone) this.selected.add(id);
      this.anchor = id;
    }
    this.markSelection();
  }

  markSelection() {
    for (const tiles of [this.tiles, this.trayTiles]) {
      for (const [id, tile] of tiles) {
        if (!tile.classList.contains("ghost")) attribute(tile, "aria-selected", String(this.selected.has(id)));
      }
    }
    const { size: chosen } = this.selected;
    this.drawDisks();
    const below = this.parts.disks.hidden ? "" : " Log directories are listed below the board.";
    this.announce(chosen ? `${count(chosen, "broker")} selected.${below}` : "Nothing selected.");
  }
}
