// The lines of two texts of a program, side by side, with the words in which they differ.
const CLOSELY = 4000; // pairs of lines, or of words, that are compared closely

// Rows of lines side by side: [place before, place after, whether equal, words that differ].
//
// `plain(side, place)` and `shown(side, place)` return the words of a line in the text before, 0, or
// after, 1: without types, and as it is shown.
export function listRows(stretches, plain, shown) {
  const names = new Map(); // temporaries of the second text by what they are in the first
  const rows = [];
  for (const [isEqual, start, end, otherStart, otherEnd] of stretches) {
    if (isEqual) {
      for (let place = 0; place < end - start; place += 1) {
        rows.push([start + place, otherStart + place, true, null]);
        pairNames(plain(0, start + place), plain(1, otherStart + place), names);
      }
      continue;
    }
    const first = wordsOf(shown, 0, start, end);
    const second = wordsOf(shown, 1, otherStart, otherEnd);
    for (const [one, other] of alignLines(first, second)) {
      const isPair = one !== null && other !== null;
      const places = [one === null ? null : start + one, other === null ? null : otherStart + other];
      rows.push([...places, false, isPair ? markWords(first[one], second[other], names) : null]);
    }
  }
  return rows;
}

function wordsOf(shown, side, start, end) {
  const found = [];
  for (let place = start; place < end; place += 1) found.push(shown(side, place));
  return found;
}

const TEMPORARY = /^v%\d+$/;

function pairNames(words, others, names) {
  words.forEach((word, place) => {
    if (TEMPORARY.test(word) && TEMPORARY.test(others[place] || "")) names.set(others[place], word);
  });
}

const isSpace = (word) => /^x\s*$/.test(word);

// how much two lines have in common: 0 to 1
function likeness(words, others) {
  const count = new Map();
  let size = 0;
  let common = 0;
  for (const word of words) {
    if (isSpace(word)) continue;
    size += word.length;
    count.set(word, (count.get(word) || 0) + 1);
  }
  for (const word of others) {
    if (isSpace(word)) continue;
    size += word.length;
    const left = count.get(word) || 0;
    if (left) {
      common += word.length;
      count.set(word, left - 1);
    }
  }
  return size ? (2 * common) / size : 1;
}

// the pairs of rising places whose values have the greatest sum
function bestPairs(length, otherLength, value) {
  const best = Array.from({ length: length + 1 }, () => new Float64Array(otherLength + 1));
  const places = Array.from({ length: otherLength }, (_, j) => j);
  const values = Array.from({ length }, (_, i) => places.map((j) => value(i, j)));
  for (let i = length - 1; i >= 0; i -= 1) {
    for (let j = otherLength - 1; j >= 0; j -= 1) {
      const paired = values[i][j] > 0 ? values[i][j] + best[i + 1][j + 1] : 0;
      best[i][j] = Math.max(paired, best[i + 1][j], best[i][j + 1]);
    }
  }
  const pairs = [];
  let i = 0;
  let j = 0;
  while (i < length && j < otherLength) {
    if (values[i][j] > 0 && best[i][j] === values[i][j] + best[i + 1][j + 1]) pairs.push([i++, j++]);
    else if (best[i][j] === best[i + 1][j]) i += 1;
    else j += 1;
  }
  return pairs;
}

function alignLines(first, second) {
  const rows = [];
  let one = 0;
  let other = 0;
  const pairs = first.length * second.length <= CLOSELY
    ? bestPairs(first.length, second.length, (i, j) => Math.max(0, likeness(first[i], second[j]) - 0.5))
    : [];
  for (const [i, j] of [...pairs, [first.length, second.length]]) {
    while (one < i) rows.push([one++, null]);
    while (other < j) rows.push([null, other++]);
    if (i < first.length) rows.push([one++, other++]);
  }
  return rows;
}

// "%3 = ..." defines a temporary, whose number says nothing
const defined = (words) => words.find((word) => !isSpace(word));

function isDefinition(words) {
  const place = words.findIndex((word) => !isSpace(word));
  return TEMPORARY.test(words[place] || "") && (words[place + 1] || "").startsWith("x =");
}

function markWords(words, others, names) {
  const all = (list) => new Set(list.map((_, place) => place));
  if (words.length * others.length > CLOSELY) return [all(words), all(others)];
  if (isDefinition(words) && isDefinition(others)) names.set(defined(others), defined(words));
  const renamed = others.map((word) => names.get(word) || word);
  const pairs = bestPairs(words.length, others.length, (i, j) => (words[i] === renamed[j] ? 1 : 0));
  const marked = [all(words), all(others)];
  for (const [i, j] of pairs) {
    marked[0].delete(i);
    marked[1].delete(j);
  }
  [words, others].forEach((list, side) => {
    list.forEach((word, place) => isSpace(word) && marked[side].delete(place));
  });
  return marked;
}
