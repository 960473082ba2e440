// A bot for mtrain as a program of its own: it lays the heaviest tile that fits. It needs nothing but Node.
//
// mtrain writes one JSON object a line to the standard input; two kinds of message want an answer, one line each, and
// nothing else may be printed there (console.error is for people). A bot ends when its input does: Node sees to that.

const readline = require("node:readline");

// The pips of the tile that an action lays: of 12-7@3 and of 12-7@mexican 19, of pass none.
function pips(action) {
  if (action === "pass") return -1;
  const [tile] = action.split("@");
  const [high, low] = tile.split("-").map(Number);
  return high + low;
}

// The number of an action: the heaviest tile; of several places for it, one by chance.
function choose(message) {
  const weights = message.actions.map(pips);
  const most = Math.max(...weights);
  const best = [...weights.keys()].filter((number) => weights[number] === most);
  const chance = message.chance / 2 ** 53; // from 0 to below 1: the same game again brings the same number
  return best[Math.floor(chance * best.length)];
}

function say(answer) {
  process.stdout.write(JSON.stringify(answer) + "\n");
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    say({ type: "hello", protocol: 1, name: "heaviest" });
  } else if (message.type === "act") {
    say({ action: choose(message) });
  }
  // game, round, scores, end and bye are news: a bot that keeps no count of anything has no use for them
});
