// What a person sets in a figure itself stands in the page's address: it is told to the server once they pause, and
// taken from the address where the browser went back or a link was followed.
class FigureState {
  // ``take`` is called with what each is, by name, where the figure begins anew.
  constructor(take) {
    this.take = take;
    this.said = {};
    this.pause = new Pause(600);
  }

  begin(told, send) {
    this.send = send;
    if (!told || told.turn === this.turn) return;
    this.stop();
    this.turn = told.turn;
    this.said = { ...told.begins };
    this.take(this.said);
  }

  later(name, said) {
    this.pause.then(name, () => this.now(name, said));
  }

  now(name, said) {
    this.pause.stop(name);
    if (this.said[name] === said) return;
    this.said[name] = said;
    this.send(name, said);
  }

  stop() {
    this.pause.stop();
  }
}
