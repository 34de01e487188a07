// Lifting and dropping, by whatever hand: mouse, touch, pen, a rubber band.

class Dragging {
  idsOf(node) {
    if (node.classList.contains("rack-head")) {
      const group = this.model.groups.get(Number(node.dataset.rack)) ?? [];
      return group.map(({ id }) => id).filter((id) => !this.model.out.has(id));
    }
    const id = Number(node.dataset.id);
    return this.selected.has(id) && node.dataset.place !== "dock" ? [...this.selected] : [id];
  }

  pickUp(node, by) {
    const ids = this.idsOf(node);
    if (ids.length === 0) return false;
    const { model } = this;
    const fresh = node.dataset.place === "dock";
    const added = fresh || ids.some((id) => model.brokers.get(id)?.added);
    const fromTray = ids.some((id) => model.out.has(id));
    const stands = ids.some((id) => model.brokers.has(id) && !model.out.has(id));
    this.lift = { ids, by, node, over: null, zones: [], stale: true };
    for (const zone of this.root.querySelectorAll("[data-zone]")) {
      const key = zone.dataset.zone;
      const rack = key === "tray" ? null : Number(key);
      const home = rack !== null && ids.some((id) => model.out.has(id) && model.brokers.get(id).rack === rack);
      const valid = key === "tray" ? stands || fresh : added || home;
      this.lift.zones.push({ key, node: zone, valid, forgiving: rack !== null && fromTray });
      zone.classList.toggle("valid", valid);
    }
    this.parts.traySays.classList.add("saying");
    for (const id of ids) {
      this.tiles.get(id)?.classList.add("lifted");
      this.trayTiles.get(id)?.classList.add("lifted");
    }
    node.classList.add("lifted"); // also a rack's name or a new broker: it holds the pointer, so its cursor is shown
    this.explain(null);
    if (stands) write(this.parts.traySays, this.traySentence(ids));
    return true;
  }

  target(zone) {
    const { lift } = this;
    if (lift.over === zone) return;
    lift.over?.node.classList.remove("over");
    lift.over = zone;
    zone?.node.classList.add("over");
  }

  letGo() {
    const { lift } = this;
    this.lift = null;
    for (const zone of lift.zones) zone.node.classList.remove("valid", "over");
    this.parts.traySays.classList.remove("saying");
    for (const tile of this.root.querySelectorAll(".lifted")) tile.classList.remove("lifted");
    this.parts.proxy.hidden = true;
    return lift;
  }

  putBack(said = "Put back.") {
    const lift = this.letGo();
    write(this.parts.traySays, this.traySentence([]));
    this.announce(said);
    if (lift.by === "key") this.focusTile(lift.node);
  }

  drop() {
    const { over, ids } = this.lift;
    if (!over || !(over.valid || over.forgiving)) {
      this.putBack(over && over.key !== "tray" ? "A broker keeps its rack; it was put back." : "Put back.");
      return;
    }
    const lift = this.letGo();
    if (over.key === "tray" && lift.by === "key") this.takeOutFollowed(ids);
    else if (over.key === "tray") this.takeOut(ids);
    else this.bringTo(ids, Number(over.key));
    if (lift.by !== "key") this.selected.clear();
  }

  takeOut(ids) {
    if (ids.includes(this.fresh)) {
      this.fresh = null;
      this.draw();
      this.announce("The new broker is discarded.");
      this.focusTile(this.first());
      return;
    }
    const leaving = ids.filter((id) => !this.model.out.has(id));
    if (leaving.length === 0) return;
    const sentence = this.traySentence(leaving);
    this.selected.clear();
    this.change([{ do: "out", brokers: leaving }], `${sentence} Escape puts back.`);
  }

  bringTo(ids, rack) {
    const { model } = this;
    const changes = [];
    const back = ids.filter((id) => model.out.has(id));
    if (back.length) changes.push({ do: "back", brokers: back });
    const joining = ids.filter((id) => id === this.fresh || model.brokers.get(id)?.added);
    for (const broker of joining) changes.push({ do: "add", broker, rack: rack === NO_RACK ? null : model.racks[rack] });
    const hadFocus = this.freshTile?.contains(this.root.getRootNode().activeElement);
    if (joining.includes(this.fresh)) this.fresh = null;
    this.selected.clear();
    const who = this.namesOf(back.length ? back : joining);
    const said = back.length ? `${who} restored.` : `${who} added to ${rackWords(model, rack)}.`;
    this.change(changes, capital(said));
    if (hadFocus && joining.length) this.focusTile(this.tiles.get(joining[0]));
  }

  // ---- mouse, touch and pen ----

  pressed(event) {
    if (event.button !== 0 || !event.isPrimary || this.press || this.lift) return;
    const tile = this.tileAt(event.target);
    const node = tile && !tile.classList.contains("ghost") ? tile : event.target.closest?.(".rack-head");
    const { clientX: x, clientY: y, pointerId } = event;
    if (node) {
      this.press = { node, x, y, pointerId, touch: event.pointerType !== "mouse" };
      node.setPointerCapture(pointerId);
      this.explain(null);
    } else if (event.pointerType === "mouse" && event.target.closest?.(".racks")) {
      event.preventDefault();
      this.press = { band: this.startBand(x, y), x, y, pointerId };
      this.root.setPointerCapture(pointerId);
    }
  }

  moved(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.pointerId) return;
    this.x = event.clientX;
    this.y = event.clientY;
    if (!this.lift && !press.band) {
      if (Math.hypot(this.x - press.x, this.y - press.y) < DRAG_STARTS_AT) return;
      const rect = press.node.getBoundingClientRect(); // before the lift changes anything: no layout is forced
      if (!this.pickUp(press.node, "pointer")) return;
      this.showProxy(press, rect);
    }
    if (!this.frame) this.frame = requestAnimationFrame(() => this.follow());
  }

  follow() {
    this.frame = 0;
    const { lift, press } = this;
    if (press?.band) {
      this.stretchBand(press);
      return;
    }
    if (!lift || lift.by !== "pointer") return;
    if (lift.stale) this.measure();
    this.parts.proxy.style.transform = `translate3d(${(this.x - lift.dx) / this.larger}px, ${(this.y - lift.dy) / this.larger}px, 0)`;
    this.target(lift.zones.find((zone) => inside(zone.rect, this.x, this.y)) ?? null);
    this.scrollAtEdge();
  }

  measure() {
    this.lift.stale = false;
    for (const zone of this.lift.zones) zone.rect = zone.node.getBoundingClientRect();
  }

  scrollAtEdge() {
    // Where the board is taller than the screen, holding a tile at the edge brings the rest into view.
    this.scroller ??= scrollerOf(this.root);
    const edge = 36;
    const step = this.y < edge ? -14 : this.y > window.innerHeight - edge ? 14 : 0;
    if (!step || !this.scroller) return;
    const before = this.scroller.scrollTop;
    this.scroller.scrollTop += step;
    if (this.scroller.scrollTop === before) return;
    this.lift.stale = true;
    this.frame = requestAnimationFrame(() => this.follow());
  }

  showProxy(press, rect) {
    const { proxy } = this.parts;
    const { lift } = this;
    proxy.replaceChildren();
    const alone = lift.ids.length === 1 && press.node.classList.contains("tile");
    proxy.classList.toggle("stack", !alone);
    if (alone) {
      const copy = press.node.cloneNode(true);
      for (const name of ["id", "aria-label", "tabindex", "role"]) copy.removeAttribute(name);
      copy.classList.remove("lifted");
      proxy.appendChild(copy);
      proxy.style.width = `${Math.min(Math.max(rect.width / this.larger, 44), 170)}px`;
    } else {
      const who = this.namesOf(lift.ids);
      write(element("b", "", proxy), capital(who));
      const held = lift.ids.reduce((sum, id) => sum + (this.model.brokers.get(id)?.replicas ?? 0), 0);
      write(element("span", "", proxy), count(held, "replica"));
      proxy.style.width = "";
    }
    proxy.style.transform = "none";
    proxy.hidden = false;
    const origin = proxy.getBoundingClientRect();
    // Where the page puts the origin of position: fixed, and the grip: near the top, so that the tray's words stay free.
    lift.dx = origin.left + Math.min(press.x - rect.left, origin.width / 2);
    lift.dy = origin.top + 14;
  }

  released(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.pointerId) return;
    this.press = null;
    if (press.band) {
      this.endBand(press, event);
    } else if (this.lift) {
      this.x = event.clientX;
      this.y = event.clientY;
      this.measure();
      this.target(this.lift.zones.find((zone) => inside(zone.rect, this.x, this.y)) ?? null);
      this.drop();
    } else {
      this.clicked(press.node, event);
    }
  }

  clicked(node, event) {
    if (node.classList.contains("rack-head")) {
      const ids = this.idsOf(node);
      const all = ids.every((id) => this.selected.has(id));
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) this.selected.clear();
      for (const id of ids) {
        if (all) this.selected.delete(id);
        else this.selected.add(id);
      }
      this.markSelection();
      this.focusTile(node);
    } else {
      this.focusTile(node);
      if (node.dataset.place !== "dock") this.select(Number(node.dataset.id), event);
    }
  }

  interrupted(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.pointerId) return;
    if (event.type === "lostpointercapture" && !this.lift && !press.band) return;
    this.press = null;
    press.band?.node.remove();
    if (this.lift) this.putBack();
  }

  // ---- a rubber band over the racks ----

  startBand(x, y) {
    const rects = [...this.tiles].filter(([, tile]) => !tile.classList.contains("ghost"));
    const origin = this.parts.stage.getBoundingClientRect();
    const node = element("div", "band", this.parts.stage);
    return { node, origin, x, y, rects: rects.map(([id, tile]) => [id, tile.getBoundingClientRect()]) };
  }

  stretchBand({ band }) {
    const [left, right] = [Math.min(band.x, this.x), Math.max(band.x, this.x)];
    const [top, bottom] = [Math.min(band.y, this.y), Math.max(band.y, this.y)];
    band.area = { left, right, top, bottom };
    const zoom = this.larger;
    band.node.style.transform = `translate(${(left - band.origin.left) / zoom}px, ${(top - band.origin.top) / zoom}px)`;
    band.node.style.width = `${(right - left) / zoom}px`;
    band.node.style.height = `${(bottom - top) / zoom}px`;
  }

  endBand({ band }, event) {
    band.node.remove();
    const { area } = band;
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) this.selected.clear();
    if (area) {
      for (const [id, rect] of band.rects) {
        const apart =
          rect.right < area.left || rect.left > area.right || rect.bottom < area.top || rect.top > area.bottom;
        if (!apart) this.selected.add(id);
      }
    }
    this.markSelection();
  }
}

function scrollerOf(node) {
  for (let at = node; at; at = at.parentNode ?? at.host) {
    if (!(at instanceof Element)) continue;
    const { overflowY } = getComputedStyle(at);
    if ((overflowY === "auto" || overflowY === "scroll") && at.scrollHeight > at.clientHeight) return at;
  }
  return document.scrollingElement;
}
