// A tile opens into its log directories: of each broker that is selected, what lies in each and what is left in it.

const MOST_OPENED = 12; // more brokers than this at once are read on Heatmap

class Disks {
  drawDisks() {
    const { model, parts } = this;
    const brokers = [...this.selected].sort((one, other) => one - other).map((id) => model.brokers.get(id));
    const opened = brokers.filter((broker) => broker?.directories.length);
    const shown = opened.slice(0, MOST_OPENED);
    const room = (directory) => (directory[2] ?? 0) + (directory[3] ?? 0);
    const most = Math.max(1, ...shown.flatMap(({ directories }) => directories.map(room)));
    parts.disks.hidden = shown.length === 0;
    parts.disks.replaceChildren();
    for (const { id, directories } of shown) {
      const box = element("section", "disk-broker", parts.disks);
      write(element("b", "disk-of", box), `Broker ${id}: ${directoriesOf(directories.length)}`);
      for (const directory of directories) this.drawDisk(element("div", "disk", box), directory, room(directory) / most);
    }
    const more = opened.length - shown.length;
    if (more > 0) write(element("p", "disk-more", parts.disks), `and ${count(more, "more broker")}`);
  }

  // As long as what it holds and has left is large beside the others; filled as far as its replicas fill it.
  drawDisk(row, [path, replicas, bytes, left, state], share) {
    row.classList.toggle("closed", state !== "online");
    write(element("span", "disk-path", row), path);
    write(element("span", "disk-says", row), directoryWords(replicas, bytes, left, state));
    if (bytes === null) return;
    const bar = element("span", "disk-bar", row);
    style(bar, "width", `${(100 * share).toFixed(1)}%`);
    style(element("i", "", bar), "transform", `scaleX(${(bytes / Math.max(1, bytes + (left ?? 0))).toFixed(4)})`);
  }
}
