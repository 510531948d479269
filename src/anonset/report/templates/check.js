// Recounts the promise of a release from its published records, by the definitions, with nothing but this page.
// `check(release, text, progress)` returns a finding for each guarantee: holds is true, false, or null where the page cannot tell.
"use strict";

const MOST_SETS = 60e6; // sets of labels that a browser counts in reasonable time
const PAUSE = 40; // milliseconds of work between two updates of the page

class Unreadable extends Error {}

// Reading: rows of cells from CSV, JSON lines or FIMI text.

function csvRows(text) {
  const rows = [];
  let row = [], at = 0;
  const n = text.length;
  while (at < n) {
    let cell = "";
    if (text[at] === '"') {
      for (;;) {
        const end = text.indexOf('"', ++at);
        if (end < 0) throw new Unreadable("a quote is not closed");
        cell += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
      if (at < n && text[at] !== "," && text[at] !== "\n" && text[at] !== "\r") throw new Unreadable("text after a quote");
    } else {
      let end = at;
      while (end < n && text[end] !== "," && text[end] !== "\n" && text[end] !== "\r") end++;
      cell = text.slice(at, end);
      at = end;
    }
    row.push(cell.replace(/^'('*[=+\-@\t\r])/, "$1"));
    if (at < n && text[at] === ",") {
      at++;
      if (at === n || text[at] === "\n" || text[at] === "\r") row.push("");
      else continue;
    }
    if (text[at] === "\r" && text[at + 1] === "\n") at++;
    at++;
    rows.push(row);
    row = [];
  }
  return rows;
}

function columnsOf(attribute) {
  return attribute.columns ? Object.values(attribute.columns) : [attribute.column];
}

function itemMembers(attribute, token) {
  return (attribute.generalized || {})[token] || [token];
}

function readCsv(text, attributes) {
  const names = attributes.flatMap((a) => [...columnsOf(a), ...(a.errors_column ? [a.errors_column] : [])]);
  const rows = csvRows(text);
  const header = rows.shift() || [];
  if (JSON.stringify(header) !== JSON.stringify(names)) throw new Unreadable("the columns are not those of the release");
  const place = new Map(names.map((name, c) => [name, c]));
  return rows.map((row) => {
    if (row.length !== names.length) throw new Unreadable("a row has other columns than the header");
    return (attribute) => {
      const cell = row[place.get(columnsOf(attribute)[0])];
      return attribute.role === "items" ? (cell === "" ? [] : cell.split(attribute.separator)) : cell;
    };
  });
}

function readJsonLines(text, attributes) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const known = new Set(attributes.map((attribute) => attribute.name));
  return lines.map((line) => {
    let record;
    try {
      record = JSON.parse(line);
    } catch {
      throw new Unreadable("a line is not JSON");
    }
    if (typeof record !== "object" || record === null) throw new Unreadable("a line is not a record");
    if (Object.keys(record).some((name) => !known.has(name))) throw new Unreadable("a record has an unknown field");
    return (attribute) => {
      const cell = record[attribute.name];
      return attribute.role === "items" ? (cell || []).map((label) => JSON.stringify(label)) : JSON.stringify(cell);
    };
  });
}

function readFimi(text) {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines.map((line) => (attribute) => (attribute.role === "items" && line.trim() ? line.trim().split(/ +/) : []));
}

const READERS = { csv: readCsv, jsonl: readJsonLines, fimi: readFimi };

// The records as numbers: the group of equal quasi values of each, and its labels, ascending and without repeats.

function coded(release, text) {
  const read = READERS[release.format];
  if (!read) throw new Unreadable("this page reads CSV, JSON lines and FIMI");
  const rows = read(text, release.attributes);
  if (rows.length !== release.records) throw new Unreadable(`there are ${rows.length} records; the release has ${release.records}`);
  const quasi = release.attributes.filter((a) => a.role === "quasi");
  const items = release.attributes.find((a) => a.role === "items");
  const groupNumber = new Map(), labelNumber = new Map(), names = [], groupNames = [];
  const group = new Int32Array(rows.length), sets = [];
  rows.forEach((cell, r) => {
    const key = JSON.stringify(quasi.map(cell));
    if (!groupNumber.has(key)) {
      groupNumber.set(key, groupNumber.size);
      groupNames.push(quasi.map((a) => `${a.name}=${cell(a)}`).join(", "));
    }
    group[r] = groupNumber.get(key);
    const labels = (items ? cell(items) : []).map((token) => {
      if (!labelNumber.has(token)) {
        labelNumber.set(token, labelNumber.size);
        names.push(token);
      }
      return labelNumber.get(token);
    });
    sets.push(Int32Array.from(new Set(labels)).sort());
  });
  const members = names.map((token) =>
    release.format === "jsonl" ? [].concat(JSON.parse(token)) : itemMembers(items || {}, token));
  return { rows, group, groups: groupNumber.size, groupNames, sets, names, members };
}

function withoutSensitive(data, sensitive) {
  const hidden = new Set(sensitive || []);
  if (!hidden.size) return data.sets;
  const only = data.members.map((some) => some.every((item) => hidden.has(item)));
  return data.sets.map((set) => set.filter((label) => !only[label]));
}

// Counting: the smallest number of records that share a group, a set of labels, or a whole record.

class Tally {
  constructor(k) {
    this.k = k;
    this.violations = 0;
    this.least = Infinity;
    this.worst = "";
  }
  add(count, text) {
    if (count < this.k) this.violations++;
    if (count < this.least) {
      this.least = count;
      this.worst = text();
    }
  }
}

function sizesOfGroups(data, tally) {
  const sizes = new Int32Array(data.groups);
  data.group.forEach((g) => sizes[g]++);
  sizes.forEach((size, g) => tally.add(size, () => data.groupNames[g]));
}

function choose(n, m) {
  let total = 0, each = 1;
  for (let i = 1; i <= m && i <= n; i++) {
    each = (each * (n - i + 1)) / i;
    total += each;
  }
  return total;
}

function eachSubset(set, m, visit) {
  const chosen = [];
  const walk = (from) => {
    for (let i = from; i < set.length; i++) {
      chosen.push(set[i]);
      visit(chosen);
      if (chosen.length < m) walk(i + 1);
      chosen.pop();
    }
  };
  walk(0);
}

function recordsByGroup(data, grouped) {
  if (!grouped) return [data.sets.map((_, r) => r)];
  const members = Array.from({ length: data.groups }, () => []);
  data.group.forEach((g, r) => members[g].push(r));
  return members;
}

async function supportsOfSets(data, sets, m, grouped, tally, pause) {
  if (sets.reduce((sum, set) => sum + choose(set.length, m), 0) > MOST_SETS) return false;
  const d = data.names.length || 1;
  const key = m <= 3 ? (chosen) => chosen.reduce((sum, label) => sum * (d + 1) + label + 1, 0) : (chosen) => chosen.join(",");
  const text = (key) => {
    const labels = [];
    if (m > 3) labels.push(...String(key).split(",").map(Number));
    else for (let left = key; left > 0; left = Math.floor(left / (d + 1))) labels.unshift((left % (d + 1)) - 1);
    return `{${labels.map((label) => data.names[label]).join(", ")}}`;
  };
  for (const records of recordsByGroup(data, grouped)) {
    const counts = new Map();
    for (const r of records) {
      eachSubset(sets[r], m, (chosen) => {
        const at = key(chosen);
        counts.set(at, (counts.get(at) || 0) + 1);
      });
      await pause();
    }
    const shown = grouped && records.length ? `${data.groupNames[data.group[records[0]]]} ` : "";
    for (const [at, count] of counts) tally.add(count, () => shown + text(at));
  }
  return true;
}

async function supportsOfRecords(data, sets, tally, pause) {
  const holders = data.names.map(() => []);
  sets.forEach((set, r) => set.forEach((label) => holders[label].push(r)));
  const seen = new Map();
  for (const set of sets) {
    const at = set.join(",");
    if (!set.length || seen.has(at)) continue;
    seen.set(at, true);
    const lists = Array.from(set, (label) => holders[label]).sort((a, b) => a.length - b.length);
    let left = lists[0];
    for (const list of lists.slice(1)) {
      const there = new Set(list);
      left = left.filter((r) => there.has(r));
    }
    tally.add(left.length, () => `{${Array.from(set, (label) => data.names[label]).join(", ")}}`);
    await pause();
  }
  return true;
}

async function sensitiveShares(data, sets, guarantee, tally, pause) {
  const hidden = new Set(guarantee.sensitive);
  const secret = data.sets.map((set) => Array.from(set).filter((label) => data.members[label].some((item) => hidden.has(item))));
  if (sets.reduce((sum, set) => sum + choose(set.length, guarantee.m) + 1, 0) > MOST_SETS) return false;
  for (const records of recordsByGroup(data, true)) {
    const counts = new Map();
    for (const r of records) {
      const visit = (chosen) => {
        const at = chosen.join(",");
        if (!counts.has(at)) counts.set(at, { n: 0, of: new Map() });
        const found = counts.get(at);
        found.n++;
        secret[r].forEach((label) => found.of.set(label, (found.of.get(label) || 0) + 1));
      };
      visit([]);
      eachSubset(sets[r], guarantee.m, visit);
      await pause();
    }
    for (const { n, of } of counts.values())
      for (const [label, times] of of) if (times * guarantee.l > n) tally.violations++, (tally.worst = `${times} of ${n} records show ${data.names[label]}`);
  }
  return true;
}

const CHECKS = {
  "k-anonymity": async (data, guarantee, tally) => {
    sizesOfGroups(data, tally);
    return true;
  },
  "km-anonymity": (data, guarantee, tally, pause, sensitive) =>
    supportsOfSets(data, withoutSensitive(data, sensitive), guarantee.m, false, tally, pause),
  "complete-k": (data, guarantee, tally, pause, sensitive) =>
    supportsOfRecords(data, withoutSensitive(data, sensitive), tally, pause),
  "k-km": (data, guarantee, tally, pause, sensitive) => {
    sizesOfGroups(data, tally);
    return supportsOfSets(data, withoutSensitive(data, sensitive), guarantee.m, true, tally, pause);
  },
  "k-lm": async (data, guarantee, tally, pause) => {
    sizesOfGroups(data, tally);
    const sets = withoutSensitive(data, guarantee.sensitive);
    const counted = await supportsOfSets(data, sets, guarantee.m, true, tally, pause);
    return counted && sensitiveShares(data, sets, guarantee, tally, pause);
  },
};

function pauseWith(progress, steps) {
  let done = 0, last = Date.now();
  return async () => {
    done++;
    if (Date.now() - last < PAUSE) return;
    progress(Math.min(1, done / steps));
    await new Promise((resume) => setTimeout(resume));
    last = Date.now();
  };
}

async function check(release, text, progress = () => {}) {
  let data;
  try {
    data = coded(release, text);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return release.guarantees.map(({ id }) => ({ id, holds: false, worst: error.message }));
  }
  const findings = [];
  for (const guarantee of release.guarantees) {
    const counted = CHECKS[guarantee.id];
    if (!counted) {
      findings.push({ id: guarantee.id, holds: null, worst: "" });
      continue;
    }
    const tally = new Tally(guarantee.k);
    const enough = data.rows.length >= guarantee.k && data.rows.length > 0;
    const pause = pauseWith(progress, data.rows.length * (guarantee.id === "k-lm" ? 2 : 1));
    const whole = enough && (await counted(data, guarantee, tally, pause, release.sensitive));
    if (!enough) findings.push({ id: guarantee.id, holds: false, worst: `${data.rows.length} records` });
    else if (!whole) findings.push({ id: guarantee.id, holds: null, worst: "" });
    else {
      const least = tally.least === Infinity ? null : tally.least;
      findings.push({ id: guarantee.id, holds: tally.violations === 0, least, violations: tally.violations, worst: tally.worst });
    }
  }
  progress(1);
  return findings;
}

// The page: reads what the file chooser or a drop gives it, and says what was found.

function said(words, finding) {
  if (finding.holds === null) return words.unknown;
  const least = finding.least === undefined || finding.least === null ? "" : ` ${words.least.replace("{n}", finding.least)}`;
  if (finding.holds) return words.holds + least;
  const where = finding.worst ? ` ${words.worst.replace("{where}", finding.worst)}` : "";
  return words.broken + least + where;
}

function show(words, findings) {
  const list = document.getElementById("findings");
  list.replaceChildren();
  for (const finding of findings) {
    const box = document.createElement("div"), name = document.createElement("b"), text = document.createElement("p");
    box.className = finding.holds === false ? "verdict no" : finding.holds ? "verdict" : "verdict unknown";
    box.dataset.holds = String(finding.holds);
    name.textContent = finding.id;
    text.textContent = said(words, finding);
    box.append(name, text);
    list.append(box);
  }
}

async function recount(text) {
  const { release, words } = JSON.parse(document.getElementById("release").textContent);
  const bar = document.getElementById("progress");
  document.getElementById("findings").replaceChildren();
  bar.hidden = false;
  show(words, await check(release, text, (done) => (bar.value = done)));
  bar.hidden = true;
}

if (typeof document !== "undefined") {
  const chooser = document.getElementById("file"), zone = document.getElementById("zone");
  chooser.addEventListener("change", async () => chooser.files.length && recount(await chooser.files[0].text()));
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) recount(await event.dataTransfer.files[0].text());
  });
  const embedded = document.getElementById("records");
  if (embedded) recount(JSON.parse(embedded.textContent));
}
