// What the stage tells the speaker's window (components/notes) in this browser, and what it does with the keys pressed there.
const CHANNEL = "token-probability-viewer stage";

function openChannel(my) {
  try {
    my.channel = new BroadcastChannel(CHANNEL);
    my.channel.onmessage = ({ data }) => {
      if (!my.stage.isConnected) return my.channel.close();
      if (data.ask) publish(my);
      if (data.press && my.data) press(my, data.press);
      if (data.release && my.data) my.ask("vote_set", { release: data.release });
      if (data.clock) { my.began = Date.now(); publish(my); }
    };
  } catch { my.channel = null; }
}

function publish(my) {
  const d = my.data;
  if (!my.channel || !d || !my.stage.isConnected) return;
  const coming = my.looks[d.vote ? d.vote.at : d.count], now = my.look(); // the wall does not show the dice's token beside the result of a vote
  my.channel.postMessage({
    stage: d.session, at: Date.now(), began: d.talk ? beganAt(d.talk.clock) : my.began, beat: d.names[my.beat], beats: d.names,
    say: d.talk && !d.talk.slow ? "" : d.say[d.beats[my.beat]][my.t > my.first ? 1 : 0], line: now ? now.lines[my.beat] : d.finished, talk: d.talk,
    rows: coming ? [...coming.rows, coming.rest].map(row => [row[0], row[4], row[3]]) : [], // of the dice
    text: shownWords(my).map(word => plain(word[0])).join("").slice(-160), settings: d.settings, model: d.model, hidden: my.beat < WEIGH || isGuessing(my),
    score: d.score, finished: d.finished, blank: my.blank, keys: REMOTE, words: d.vote?.waiting ?? [],
  });
}
