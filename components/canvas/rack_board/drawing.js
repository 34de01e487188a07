// Racks, the tray and the dock, drawn in place, so that focus and a drag survive.

class Drawing {
  draw() {
    const focusedTile = this.activeTile();
    const focus = focusedTile && { id: Number(focusedTile.dataset.id), inTray: focusedTile.dataset.place === "tray" };
    this.model = modelOf(this.data, this.pending);
    const { model, root } = this;
    this.width = root.clientWidth;
    this.larger = root.currentCSSZoom ?? 1; // a large screen enlarges its figures
    const shown = [...model.groups].filter(([rack, group]) => rack !== NO_RACK || group.length);
    shown.sort(([one], [other]) => (one === NO_RACK) - (other === NO_RACK) || one - other);
    const narrow = this.width < 620;
    const fitted = fit(
      narrow ? this.width : this.width - TRAY_WIDTH - RACK_GAP,
      shown.map(([, group]) => group.length),
      { digits: String(Math.max(0, ...model.brokers.keys())).length, withIds: this.withIds, zoom: this.larger },
    );
    root.dataset.mode = fitted.mode;
    root.toggleAttribute("data-narrow", narrow);
    root.toggleAttribute("data-busy", this.pending.length > 0);
    root.toggleAttribute("data-numbered", fitted.numbered === true);
    this.parts.ids.hidden = fitted.mode !== "cell" || (fitted.numbered === true && !this.withIds);
    attribute(this.parts.ids, "aria-pressed", String(this.withIds));
    style(root, "--across", String(fitted.across));
    style(root, "--per-row", String(fitted.perRow));
    style(root, "--tile", `${fitted.tile}px`);
    style(root, "--tile-height", `${fitted.height}px`);
    style(root, "--tile-gap", `${fitted.gap}px`);
    style(root, "--mean", `${((100 * model.mean) / model.scale).toFixed(2)}%`);
    write(this.parts.leadWord, this.data.leads === "preferred" ? "preferred leaders" : "leaders");
    write(this.parts.few, number.format(model.low));
    write(this.parts.many, count(model.top, "replica"));
    for (const id of [...this.selected]) if (!model.brokers.has(id)) this.selected.delete(id);
    this.drawRacks(shown, fitted.rackWidth);
    this.drawTray();
    this.drawDock();
    this.drawDisks();
    this.parts.diskHint.hidden = Object.keys(this.data.directories).length === 0;
    this.finder.mark();
    this.roving(focus);
    this.explain(null);
  }

  drawRacks(shown, rackWidth) {
    const kept = new Set(shown.map(([rack]) => rack));
    for (const [rack, column] of this.columns) {
      if (!kept.has(rack)) {
        column.section.remove();
        this.columns.delete(rack);
      }
    }
    const alive = new Set();
    shown.forEach(([rack, group], at) => {
      const column = this.columns.get(rack) ?? this.makeColumn(rack);
      const words = rackWords(this.model, rack);
      const held = group.reduce((sum, broker) => sum + (broker.after ?? broker.replicas), 0);
      const staying = group.filter((broker) => !this.model.out.has(broker.id)).length;
      write(column.name, rack === NO_RACK ? this.model.noRack : this.model.rackNames[rack]);
      write(
        column.sum,
        this.sumOf(group.length, staying, held, rackWidth),
      );
      attribute(column.head, "title", `${words}: ${count(group.length, "broker")}, ${count(held, "replica")}`);
      attribute(
        column.head,
        "aria-label",
        `Whole ${words}, ${count(group.length, "broker")}, ${count(held, "replica")}` +
          (staying < group.length ? `, ${group.length - staying} removed` : ""),
      );
      attribute(column.list, "aria-label", words);
      style(column.section, "--rack", this.data.colours[this.model.racks[rack]] ?? "var(--line)");
      column.section.classList.toggle("empty", staying === 0);
      if (this.parts.racks.children[at] !== column.section) {
        this.parts.racks.insertBefore(column.section, this.parts.racks.children[at] ?? null);
      }
      group.forEach((broker, place) => {
        const tile = this.tiles.get(broker.id) ?? this.makeTile(broker.id, "rack", this.tiles);
        if (column.list.children[place] !== tile) column.list.insertBefore(tile, column.list.children[place] ?? null);
        this.fillTile(tile, broker);
        alive.add(broker.id);
      });
    });
    for (const [id, tile] of this.tiles) {
      if (!alive.has(id)) {
        tile.remove();
        this.tiles.delete(id);
      }
    }
  }

  sumOf(brokers, staying, held, rackWidth) {
    const replicas = number.format(held);
    if (rackWidth < 110) return staying < brokers ? `${staying} of ${brokers}` : replicas;
    if (staying < brokers) return `${staying} of ${rackWidth < 170 ? brokers : count(brokers, "broker")} · ${replicas}`;
    return `${count(brokers, "broker")} · ${replicas}`;
  }

  makeColumn(rack) {
    const section = element("section", "rack");
    section.dataset.zone = String(rack);
    const head = element("button", "rack-head", section);
    head.type = "button";
    head.dataset.rack = String(rack);
    head.tabIndex = -1;
    const name = element("span", "rack-name", head);
    const sum = element("span", "rack-sum", head);
    const list = element("div", "rack-list", section);
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-multiselectable", "true");
    const column = { section, head, name, sum, list };
    this.columns.set(rack, column);
    return column;
  }

  drawTray() {
    const { model, parts } = this;
    const ids = [...model.out].filter((id) => model.brokers.has(id)).sort((one, other) => one - other);
    for (const [id, tile] of this.trayTiles) {
      if (!model.out.has(id)) {
        tile.remove();
        this.trayTiles.delete(id);
      }
    }
    ids.forEach((id, place) => {
      const tile = this.trayTiles.get(id) ?? this.makeTile(id, "tray", this.trayTiles);
      if (parts.trayList.children[place] !== tile) {
        parts.trayList.insertBefore(tile, parts.trayList.children[place] ?? null);
      }
      this.fillTile(tile, model.brokers.get(id));
    });
    const changed = ids.length > 0 || [...model.brokers.values()].some((broker) => broker.added);
    parts.reset.hidden = !changed;
    parts.tray.classList.toggle("holds", ids.length > 0);
    if (!this.lift) write(parts.traySays, this.traySentence([]));
  }

  traySentence(more) {
    const { model } = this;
    const ids = [...new Set([...model.out, ...more])].filter((id) => !model.brokers.get(id)?.added);
    if (ids.length === 0) return "Drag a broker here to preview a drain.";
    ids.sort((one, other) => one - other);
    const moves = ids.reduce((sum, id) => sum + (model.brokers.get(id)?.replicas ?? 0), 0);
    const who = capital(this.namesOf(ids));
    const targets = [...model.brokers.values()].filter(({ id, state }) => state !== DEAD && state !== CORDONED && !ids.includes(id)).length;
    if (targets < this.data.needs) {
      return `${who} removed: only ${count(targets, "broker")} would remain, and some partitions need ${this.data.needs}.`;
    }
    const stuck = ids.reduce((sum, id) => sum + (model.brokers.get(id)?.stuck ?? 0), 0);
    const cordons = [...model.brokers.values()].some(({ id, state }) => state === CORDONED && !ids.includes(id));
    const why = cordons ? "no live replica, or a cordoned broker has one" : "no live replica";
    const cannot = stuck ? ` ${number.format(stuck)} cannot move: ${why}.` : "";
    return `${who} removed: ${count(moves - stuck, "replica")} must move.${cannot}`;
  }

  namesOf(ids) {
    if (ids.length === 1) return `broker ${ids[0]}`;
    const whole = [...this.model.groups].find(
      ([rack, group]) => rack !== NO_RACK && group.length === ids.length && group.every(({ id }) => ids.includes(id)),
    );
    if (whole) return `${rackWords(this.model, whole[0])} (${count(ids.length, "broker")})`;
    if (ids.length > 4) return count(ids.length, "broker");
    return `brokers ${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
  }

  drawDock() {
    const { parts, root } = this;
    root.toggleAttribute("data-placing", this.fresh !== null);
    if (this.fresh === null) {
      this.freshTile?.remove();
      this.freshTile = null;
      parts.dock.replaceChildren();
      return;
    }
    if (this.freshTile && Number(this.freshTile.dataset.id) === this.fresh) return;
    parts.dock.replaceChildren();
    this.freshTile = this.makeTile(this.fresh, "dock");
    this.freshTile.classList.add("added");
    this.freshTile.setAttribute("aria-label", `New broker ${this.fresh}, not in a rack yet`);
    write(this.freshTile.parts.host, "new");
    parts.dock.appendChild(this.freshTile);
    if (!this.columns.has(NO_RACK)) {
      const none = element("span", "no-rack", parts.dock);
      none.dataset.zone = String(NO_RACK);
      write(none, "no rack");
    }
    write(element("span", "dock-says", parts.dock), "Drag it into a rack.");
  }

  switchIds() {
    if (this.parts.ids.hidden) return;
    this.withIds = !this.withIds;
    this.figureState.now("ids", this.withIds ? "yes" : "");
    this.draw();
    this.activeTile()?.scrollIntoView({ block: "nearest" });
    this.announce(this.withIds ? "Broker ids are shown." : "Broker ids are hidden.");
  }

  submitted(event) {
    event.preventDefault();
    const field = this.parts.newId;
    const id = Number(field.value);
    const trouble =
      field.value === "" || !Number.isInteger(id) || id < 0 || id > 2147483647
        ? "A broker id is a whole number from 0 to 2,147,483,647."
        : this.model.brokers.has(id)
          ? `Broker ${id} is already here. ${this.nextId()} is free.`
          : "";
    field.setCustomValidity(trouble);
    if (trouble) {
      field.reportValidity();
      this.announce(trouble);
      return;
    }
    this.fresh = id;
    this.drawDock();
    this.focusTile(this.freshTile);
    this.announce(`New broker ${id}. Drag it into a rack, or press Space, choose a rack with the arrows, and Enter.`);
  }
}
