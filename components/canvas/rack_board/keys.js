// The board by keys alone.

class Keys {
  keyed(event) {
    if (event.key === "Escape" && this.lift) {
      event.preventDefault();
      this.press = null;
      this.putBack();
      return;
    }
    const node = this.tileAt(event.target) ?? event.target.closest?.(".rack-head");
    if (!node || (this.lift && this.lift.by !== "key")) return;
    if (this.lift ? this.keyedWhileLifted(event) : this.keyedOn(node, event)) event.preventDefault();
  }

  keyedWhileLifted(event) {
    const { lift } = this;
    const valid = lift.zones.filter((zone) => zone.valid);
    if (event.key in ARROWS) {
      const step = ARROWS[event.key][0] + ARROWS[event.key][1];
      const at = valid.indexOf(lift.over);
      this.target(valid[(at + step + valid.length) % valid.length]);
      this.announce(this.overSentence());
    } else if (event.key === "Enter" || event.key === " ") {
      this.drop();
    } else if (event.key === "Tab") {
      this.putBack();
      return false;
    }
    return true;
  }

  overSentence() {
    const { over, ids } = this.lift;
    if (!over) return "";
    if (over.key === "tray") {
      return ids.every((id) => id === this.fresh || this.model.brokers.get(id)?.added)
        ? "Over Removed: it will not be added."
        : `Over Removed: ${this.traySentence(ids)}`;
    }
    return `Over ${rackWords(this.model, Number(over.key))}.`;
  }

  keyedOn(node, event) {
    const isTile = node.classList.contains("tile");
    const id = isTile ? Number(node.dataset.id) : null;
    const inTray = node.dataset.place === "tray";
    if (event.key in ARROWS) {
      const next = this.neighbour(node, ARROWS[event.key]);
      if (next) {
        this.focusTile(next);
        if (event.shiftKey && isTile && next.classList.contains("tile")) {
          this.selected.add(id);
          this.selected.add(Number(next.dataset.id));
          this.markSelection();
        }
      }
      return true;
    }
    if (event.key === " " && (event.ctrlKey || event.metaKey) && isTile) {
      this.select(id, { ctrlKey: true });
      return true;
    }
    if (event.key === "Enter" && node.dataset.place === "rack") {
      this.select(id, event);
      return true;
    }
    if (event.key === " " || (event.key === "Enter" && !isTile)) {
      if (this.pickUp(node, "key")) {
        const home = this.lift.zones.find((zone) => zone.valid && zone.key !== "tray");
        const tray = this.lift.zones.find((zone) => zone.valid && zone.key === "tray");
        this.target((inTray || node.dataset.place === "dock" ? home : (tray ?? home)) ?? null);
        this.announce(`Lifted ${this.namesOf(this.lift.ids)}. ${this.overSentence()} Enter drops, Escape puts back.`);
      }
      return true;
    }
    if (event.key === "/") {
      this.finder.field.focus();
      return true;
    }
    if (event.key.toLowerCase() === "i" && !event.ctrlKey && !event.metaKey) {
      this.switchIds();
      return true;
    }
    if (event.key === "Delete" || event.key === "Backspace") {
      if (!inTray) this.takeOutFollowed(this.idsOf(node));
      return true;
    }
    if ((event.key === "Escape" || event.key === "Enter") && inTray) {
      const back = this.idsOf(node);
      this.bringTo(back, this.model.brokers.get(back[0]).rack);
      return true;
    }
    if (event.key === "Escape" && node.dataset.place === "dock") {
      this.takeOut([this.fresh]);
      return true;
    }
    if (event.key === "Escape" && this.selected.size) {
      this.selected.clear();
      this.markSelection();
      return true;
    }
    return false;
  }

  takeOutFollowed(ids) {
    this.takeOut(ids);
    // The focus follows what was done, so that Escape takes it back.
    this.focusTile(this.trayTiles.get(ids[0]) ?? this.first());
  }

  neighbour(node, [dx, dy]) {
    const all = [...this.root.querySelectorAll(".tile:not(.ghost):not(.proxy .tile), .rack-head")];
    const from = node.getBoundingClientRect();
    const x = from.left + from.width / 2;
    const y = from.top + from.height / 2;
    let best = null;
    let least = Infinity;
    for (const other of all) {
      if (other === node) continue;
      const rect = other.getBoundingClientRect();
      const ahead = (rect.left + rect.width / 2 - x) * dx + (rect.top + rect.height / 2 - y) * dy;
      if (ahead < 2 || (dx ? rect.left < from.right - 2 && dx > 0 : rect.top < from.bottom - 2 && dy > 0)) continue;
      if ((dx < 0 && rect.right > from.left + 2) || (dy < 0 && rect.bottom > from.top + 2)) continue;
      const aside = Math.abs((rect.left + rect.width / 2 - x) * dy) + Math.abs((rect.top + rect.height / 2 - y) * dx);
      if (ahead + 3 * aside < least) {
        least = ahead + 3 * aside;
        best = other;
      }
    }
    return best;
  }
}
