// Tells something once a person pauses: each letter typed would be a run of the page, and a step of the browser's Back.
// Who clicks a link to a page meanwhile leaves: told after that, it would draw this page again in that one's place.
class Pause {
  constructor(length) {
    this.length = length; // ms
    this.waiting = {};
    this.leave = (event) => {
      const apart = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (!apart && event.target.closest?.("a[data-testid='stPageLink-NavLink']")) this.stop();
    };
  }

  then(name, tell) {
    clearTimeout(this.waiting[name]);
    this.waiting[name] = setTimeout(() => {
      this.stop(name);
      tell();
    }, this.length);
    window.addEventListener("click", this.leave, true);
  }

  stop(...names) {
    for (const name of names.length ? names : Object.keys(this.waiting)) {
      clearTimeout(this.waiting[name]);
      delete this.waiting[name];
    }
    if (!Object.keys(this.waiting).length) window.removeEventListener("click", this.leave, true);
  }
}
