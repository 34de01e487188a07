// What a person sets in a figure itself stands in the page's address: it is told to the server once they pause, and
// taken from the address where the browser went back or a link was followed.
class FigureState {
  // ``take`` is called with what each is, by name, where the figure begins anew.
  constructor(take) {
    this.take = take;
    this.said = {};
    this.waiting = {};
  }

  begin(told, send) {
    this.send = send;
    if (!told || told.turn === this.turn) return;
    this.stop();
    this.turn = told.turn;
    this.said = { ...told.begins };
    this.take(this.said);
  }

  // Each letter would be a step of the browser's Back.
  later(name, said) {
    clearTimeout(this.waiting[name]);
    this.waiting[name] = setTimeout(() => this.now(name, said), 600);
  }

  now(name, said) {
    clearTimeout(this.waiting[name]);
    if (this.said[name] === said) return;
    this.said[name] = said;
    this.send(name, said);
  }

  stop() {
    for (const timer of Object.values(this.waiting)) clearTimeout(timer);
  }
}
