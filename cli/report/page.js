(async () => {
  'use strict';

  /* ---------- the data: JSON Lines as `larder compare --json` writes them ---------- */

  const text = await inflate(document.getElementById('data').textContent);
  const [header, ...records] = text.trimEnd().split('\n').map((line) => JSON.parse(line));
  const facts = JSON.parse(document.getElementById('facts').textContent);
  const MORE_IS_BETTER = ['requests/s', 'operations/s', '%'];
  const rows = records.map((record) => ({ ...record, settings: record.settings ?? {}, historic: record.median === null && !record.failures && record.published !== null }));

  async function inflate(base64) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  }

  /** As Larder\Cli\Timing\Histogram: 128 bins in each power of two; the duration is the upper end of the bin. */
  function percentiles(histogram, wanted) {
    const bins = Object.entries(histogram.counts).map(([bin, count]) => [Number(bin), count]).sort((a, b) => a[0] - b[0]);
    const total = bins.reduce((sum, [, count]) => sum + count, 0);
    let seen = 0, at = -1;
    return wanted.map((percent) => {
      const rank = Math.max(1, Math.ceil(total * percent / 100 - 1e-9));
      while (seen < rank && at < bins.length - 1) seen += bins[++at][1];
      const shift = Math.max(0, (bins[at][0] >> 7) - 1);
      return { percent, count: total, figure: Math.min(histogram.maximum, (bins[at][0] - shift * 128 + 1) * 2 ** shift - 1) };
    });
  }

  /* ---------- words and numbers ---------- */

  const significant = (number) => (number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2));
  const grouped = (number) => number.toLocaleString('en-US', { maximumFractionDigits: Math.abs(number) < 100 ? 2 : 0 });
  const SCALES = { ns: [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']], bytes: [[1, 'B'], [1e3, 'kB'], [1e6, 'MB'], [1e9, 'GB']] };

  function figure(number, unit, exact = true) {
    if (number === null || number === undefined) return '–';
    if (number === 0) return '0';
    const scale = SCALES[unit];
    if (!scale) {
      const short = !exact && number >= 1e6 ? grouped(number / 1e6) + '\u00a0M' : !exact && number >= 1e4 ? grouped(number / 1e3) + '\u00a0k' : grouped(exact ? Number(Number(number).toPrecision(4)) : number);
      return short + (unit === '%' ? '\u00a0%' : unit === 'count' || unit === 'score' ? '' : '/s');
    }
    const [factor, name] = scale.findLast(([size]) => Math.abs(number) >= size * 0.9995) ?? scale[0];
    const value = number / factor;
    return (exact && !(unit === 'bytes' && factor === 1) ? significant(value) : grouped(value)) + '\u00a0' + name;
  }
  const bytes = (number) => figure(number, 'bytes', false);
  const UNITS = { ns: 'Time of one operation', 'requests/s': 'Requests per second', 'operations/s': 'Operations per second', bytes: 'Bytes', '%': 'Share', count: 'Number', score: 'Score' };
  const isBetter = (unit, a, b) => (MORE_IS_BETTER.includes(unit) ? a > b : a < b);
  const times = (ratio) => (ratio >= 10 ? grouped(Math.round(ratio)) : ratio >= 1 ? ratio.toFixed(1) : ratio.toPrecision(2)) + '\u00d7';
  const slug = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const plural = (count, one, many = one + 's') => `${grouped(count)} ${count === 1 ? one : many}`;
  const unique = (list) => [...new Set(list)];
  /** Of a setting: "4", "0.5x the memory", "10,000/s". */
  const numberOf = (word) => Number.parseFloat(String(word).replaceAll(',', ''));
  const bySize = (list) => unique(list).sort((a, b) => numberOf(a) - numberOf(b));
  const areNumbers = (words) => words.every((word) => /^\d[\d.,]*/.test(word)) && unique(words.map((word) => word.replace(/^[\d.,]+/, ''))).length === 1;

  /* ---------- elements ---------- */

  function el(name, properties = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
      else if (key in element && key !== 'list' && key !== 'style') element[key] = value;
      else if (value !== null && value !== false) element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  function select(label, options, value, onchange) {
    return el('label', { className: 'select' }, label, el('select', { onchange: (event) => onchange(event.target.value) },
      ...options.map(([key, name]) => el('option', { value: key, selected: key === value }, name))));
  }

  function segmented(element, options, value, onchange) {
    element.replaceChildren(...options.map(([key, name]) => el('button', {
      type: 'button', 'aria-pressed': String(key === value), 'data-value': key, onclick: () => onchange(key),
    }, name)));
    return element;
  }

  function download(name, type, content) {
    const address = URL.createObjectURL(new Blob([content], { type }));
    el('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  /* ---------- stores: one color and symbol each; those in most tables get the most different ones, then the alphabet decides ---------- */

  const stores = unique(rows.map((row) => row.store)).sort();
  const tablesOf = d3.rollup(rows, (group) => new Set(group.map((row) => row.table)).size, (row) => row.store);
  const styled = stores.toSorted((a, b) => tablesOf.get(b) - tablesOf.get(a));
  const connectionOf = (row) => row.connection ?? 'memory';
  const connections = unique(rows.map(connectionOf)).sort();
  // Apart from each other for color-blind people too, and from the page by 3:1: Larder\Cli\Tests\Report\Html\ColorsTest.
  const COLORS = {
    light: ['#004a89', '#d77808', '#009750', '#e13d90', '#2c90d8', '#965a10', '#2c273c'],
    dark: ['#356cbe', '#db8843', '#1d8c5f', '#d186be', '#5ce2ff', '#ffd858', '#e7e7e2'],
  };
  const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye'];
  const DASHES = { tcp: '7 3', disk: '7 3', network: '2 3' };
  const styleOf = (row) => {
    const index = styled.indexOf(row.store);
    const connection = row.connection ?? '';
    return {
      color: palette().series[index % 7],
      symbol: SYMBOLS[(index + Math.floor(index / 7)) % 7],
      dash: DASHES[connection.split(',')[0]] ?? null,
    };
  };
  const systemTheme = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => systemTheme.matches;
  const palette = () => (isDark()
    ? { series: COLORS.dark, now: '#4aa3df', then: '#e6ac2e', text: '#e7ebef', muted: '#9dabb8', line: '#303a45', page: '#171d24' }
    : { series: COLORS.light, now: '#0072b2', then: '#b27800', text: '#1a2027', muted: '#57626e', line: '#d8dde3', page: '#ffffff' });

  function symbolIcon(row) {
    const { color, symbol, dash } = styleOf(row);
    const svg = d3.create('svg').attr('width', 26).attr('height', 14).attr('viewBox', '-13 -7 26 14').attr('aria-hidden', 'true');
    svg.append('line').attr('x1', -13).attr('x2', 13).attr('stroke', color).attr('stroke-width', 2).attr('stroke-dasharray', dash);
    svg.append('path').attr('d', d3.symbol(d3['symbol' + symbol[0].toUpperCase() + symbol.slice(1)], 60)()).attr('fill', color);
    return svg.node();
  }

  /* ---------- state, kept in the fragment of the address ---------- */

  const sizes = bySize(rows.map((row) => row.bytes).filter((size) => size !== null));
  const state = { stores: null, connections: null, from: null, to: null, scale: 'log', panels: {} };
  const OWN = ['stores', 'connections', 'from', 'to', 'scale'];

  function readFragment() {
    const parameters = new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '');
    const list = (name, known) => (parameters.has(name) ? new Set(parameters.get(name).split(',').filter((each) => known.includes(each))) : null);
    const size = (name) => (sizes.includes(Number(parameters.get(name))) && parameters.has(name) ? Number(parameters.get(name)) : null);
    Object.assign(state, {
      stores: list('stores', stores), connections: list('connections', connections), from: size('from'), to: size('to'),
      scale: parameters.get('scale') === 'linear' ? 'linear' : 'log',
      panels: {},
    });
    for (const [name, value] of parameters) {
      const [panel, setting] = name.split('.', 2);
      if (!OWN.includes(name) && setting !== undefined) (state.panels[panel] ??= {})[name.slice(panel.length + 1)] = value;
    }
  }

  function writeFragment() {
    const parts = [];
    const add = (name, value) => parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll('%2C', ',')}`);
    for (const name of ['stores', 'connections']) if (state[name]) add(name, [...state[name]].sort().join(','));
    for (const name of ['from', 'to']) if (state[name] !== null) add(name, state[name]);
    if (state.scale !== 'log') add('scale', state.scale);
    for (const [panel, settings] of Object.entries(state.panels)) for (const [name, value] of Object.entries(settings)) add(`${panel}.${name}`, value);
    history.replaceState(null, '', parts.length ? '#' + parts.join('&') : location.pathname + location.search);
  }

  const isShown = (row) => (!state.stores || state.stores.has(row.store))
    && (!state.connections || state.connections.has(connectionOf(row)))
    && (row.bytes === null || ((state.from === null || row.bytes >= state.from) && (state.to === null || row.bytes <= state.to)));

  function change(update) {
    update(state);
    writeFragment();
    showFilters();
    redraw();
  }

  /* ---------- filters ---------- */

  const filters = document.getElementById('filters');
  const details = el('details', {});
  filters.append(el('div', { className: 'wrap' }, details));

  function chips(name, label, known, icon) {
    const chosen = state[name];
    const set = (list) => change((s) => { s[name] = list.length === known.length ? null : new Set(list); });
    return el('fieldset', { 'data-filter': name },
      el('legend', {}, label + ' ',
        el('button', { type: 'button', className: 'link', 'data-focus': `${name}-all`, onclick: () => set(known) }, 'all'),
        el('button', { type: 'button', className: 'link', 'data-focus': `${name}-none`, onclick: () => set([]) }, 'none')),
      el('div', { className: 'chips' }, ...known.map((each) => el('label', { className: 'chip' },
        el('input', {
          type: 'checkbox', value: each, checked: !chosen || chosen.has(each), 'data-focus': `${name}-${each}`,
          onchange: (event) => set(known.filter((other) => (other === each ? event.target.checked : !chosen || chosen.has(other)))),
        }), icon ? icon(each) : null, each))));
  }

  function showFilters() {
    const focus = details.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    const count = (name, known, many) => (state[name] ? `${state[name].size} of ${known.length} ${many}` : `all ${known.length} ${many}`);
    const range = state.from === null && state.to === null ? 'all sizes' : `${state.from === null ? 'up' : bytes(state.from)} to ${state.to === null ? 'the largest' : bytes(state.to)}`;
    const scroll = details.querySelector('.body')?.scrollTop ?? 0;
    details.replaceChildren(
      el('summary', { 'data-focus': 'summary' }, el('b', {}, 'Show'), el('span', { id: 'shown' }, `${count('stores', stores, 'stores')}`,
        el('span', { className: 'long' }, connections.length > 1 ? ` · ${count('connections', connections, 'connections')}` : '', sizes.length > 1 ? ` · ${range}` : '', ` · ${state.scale === 'log' ? 'logarithmic' : 'linear'} scale`)),
      el('span', { className: 'change' }, 'Change')),
      el('div', { className: 'body' },
        chips('stores', 'Stores', stores, (store) => symbolIcon({ store, connection: null })),
        connections.length > 1 ? chips('connections', 'Connections', connections) : null,
        el('div', { className: 'row' },
          ...(sizes.length > 1 ? [['from', 'Values from', 'the smallest'], ['to', 'to', 'the largest']].map(([name, label, none]) => {
            const field = select(label, [['', none], ...sizes.map((size) => [String(size), bytes(size)])], state[name] === null ? '' : String(state[name]),
              (value) => change((s) => { s[name] = value === '' ? null : Number(value); }));
            field.querySelector('select').dataset.focus = name;
            return field;
          }) : []),
          el('fieldset', {}, el('legend', {}, 'Scale'), segmented(el('div', { className: 'segmented', id: 'scale' }), [['log', 'Logarithmic'], ['linear', 'Linear']], state.scale, (scale) => {
            change((s) => { s.scale = scale; });
            document.querySelector(`#scale [data-value="${scale}"]`)?.focus();
          })),
          el('button', { type: 'button', id: 'reset', 'data-focus': 'reset', onclick: () => change((s) => Object.assign(s, { stores: null, connections: null, from: null, to: null, scale: 'log', panels: {} })) }, 'Reset'))));
    details.querySelector('.body').scrollTop = scroll;
    if (focus) details.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
  }
  details.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && details.open) {
      details.open = false;
      details.querySelector('summary').focus();
    }
  });
  document.addEventListener('click', (event) => {
    if (details.open && !filters.contains(event.target) && event.target.isConnected) details.open = false;
  });

  /* ---------- charts ---------- */

  const width = (element) => Math.max(280, Math.floor(element.clientWidth || 600));
  const measure = document.createElement('canvas').getContext('2d');
  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
  function textWidth(words, size = 13, weight = 400) {
    measure.font = `${weight} ${size}px ${FONT}`;
    return measure.measureText(words).width;
  }
  const clipped = (words, room, size = 13) => {
    if (textWidth(words, size) <= room) return words;
    let end = words.length;
    while (end > 1 && textWidth(words.slice(0, end) + '…', size) > room) --end;
    return words.slice(0, end).trimEnd() + '…';
  };

  /** The axis of figures: powers of ten on a logarithmic scale, from zero on a linear one. */
  function axis(figures, unit, wide) {
    const positive = figures.filter((each) => each > 0);
    const isLog = state.scale === 'log' && unit !== '%' && positive.length === figures.length && positive.length > 0;
    const most = unit === '%' ? 100 : Math.max(...figures, 0);
    if (!isLog) return { type: 'linear', domain: [0, most || 1], ticks: wide ? 6 : 3, format: (number) => figure(number, unit, false) };
    // a little more than the figures, but from 1, 2 or 5 times a power of ten
    const step = (number, up) => {
      const power = 10 ** Math.floor(Math.log10(number) + 1e-9);
      const steps = [1, 2, 5, 10].map((factor) => factor * power);
      return up ? steps.find((each) => each >= number * 0.9999) : steps.findLast((each) => each <= number * 1.0001);
    };
    const domain = [step(Math.min(...positive) * 0.85, false), step(Math.max(...positive) * 1.02, true)];
    if (domain[0] === domain[1]) domain[1] *= 10;
    const decades = Math.log10(domain[1] / domain[0]);
    const tens = d3.range(Math.ceil(Math.log10(domain[0]) - 1e-9), Math.floor(Math.log10(domain[1]) + 1e-9) + 1).map((power) => 10 ** power);
    const ticks = decades > 2.2 ? tens.filter((_, index) => wide || tens.length <= 4 || index % 2 === 0)
      : tens.concat(tens.length ? [tens[0] / 10] : [10 ** Math.floor(Math.log10(domain[0]))]).flatMap((ten) => [1, 2, 5].map((factor) => factor * ten)).filter((tick) => tick >= domain[0] * 0.999 && tick <= domain[1] * 1.001);
    return { type: 'log', domain, ticks: unique(ticks).sort((a, b) => a - b), format: (number) => figure(number, unit, false) };
  }

  const plot = (element, options, marks) => {
    const colors = palette();
    return Plot.plot({
      width: width(element), style: { background: 'transparent', color: colors.text, fontFamily: FONT, fontSize: '12px' },
      ...options, marks: marks.filter(Boolean),
    });
  };

  /** A pattern besides the color, for those who see no difference between the colors. */
  function addPattern(svg, id, color) {
    const pattern = d3.select(svg).append('defs').append('pattern').attr('id', id).attr('width', 6).attr('height', 6)
      .attr('patternUnits', 'userSpaceOnUse').attr('patternTransform', 'rotate(45)');
    pattern.append('rect').attr('width', 6).attr('height', 6).attr('fill', color).attr('fill-opacity', 0.22);
    pattern.append('line').attr('y2', 6).attr('stroke', color).attr('stroke-width', 3);
  }

  /** As Larder\Cli\Report\RankSum, of sorted samples: how likely samples of the same would differ so much. */
  const MOST_SAMPLES = 100, sums = new Map();
  function atMost(m, n) {
    const key = `${m} ${n}`;
    if (!sums.has(key)) {
      const ways = new Array(m * n + 1).fill(0);
      ways[0] = 1;
      for (let i = 1; i <= m; ++i) {
        for (let j = m * n; j >= n + i; --j) ways[j] -= ways[j - n - i];
        for (let j = i; j <= m * n; ++j) ways[j] += ways[j - i];
      }
      const all = d3.sum(ways);
      sums.set(key, Array.from(d3.cumsum(ways), (each) => each / all));
    }
    return sums.get(key);
  }
  function chance(a, b) {
    const larger = d3.sum(a, (each) => (d3.bisectLeft(b, each) + d3.bisectRight(b, each)) / 2);
    return Math.min(1, 2 * atMost(a.length, b.length)[Math.floor(Math.min(larger, a.length * b.length - larger))]);
  }

  /** As Larder\Cli\Report\Ranks: those that cannot be told from the best of their group share its rank. Holm's correction for all pairs. */
  function addRanks(items) { // the best first
    const measured = items.filter((item) => item.now !== null), LEVEL = 0.05, FEWEST = 6;
    const pairs = measured.flatMap((_, j) => d3.range(j).map((i) => [i, j]));
    const least = d3.min(measured, (item) => item.samples.length) ?? 0;
    if (least < FEWEST || 2 * atMost(least, least)[0] > LEVEL / Math.max(1, pairs.length)) return; // too few to tell so many apart
    const chances = new Map(pairs.map(([i, j]) => [`${i} ${j}`, chance(measured[i].samples, measured[j].samples)]));
    const sorted = [...chances.values()].sort(d3.ascending);
    const refused = sorted.findIndex((each, index) => each > LEVEL / (sorted.length - index));
    const limit = refused === -1 ? 1 : sorted[refused - 1] ?? -1;
    let best = 0;
    measured.forEach((item, index) => {
      if (index && chances.get(`${best} ${index}`) <= limit) best = index;
      item.rank = best + 1;
      item.name = `${item.rank}. ${item.name}`;
    });
  }

  /** The marks that a reader steps through: a line's points, or one mark for each row of a ranking. */
  function marksOf(svg, lines) {
    if (lines) return lines.map((line) => [...svg.querySelectorAll(`.s${line.index}.point > *`)]).filter((marks) => marks.length);
    const rows = new Map();
    for (const mark of [...svg.querySelectorAll('.now > *'), ...svg.querySelectorAll('.then > *')]) {
      if (!rows.has(mark.getAttribute('aria-label'))) rows.set(mark.getAttribute('aria-label'), mark);
    }
    const height = (mark) => { const { top, bottom } = mark.getBoundingClientRect(); return top + bottom; };
    return [...rows.values()].sort((a, b) => height(a) - height(b)).map((mark) => [mark]);
  }

  /** Arrow keys step through the marks of a chart: left and right to the next one, up and down to the next line or row. The mark is framed, its label shown and said. */
  function stepThrough(chart, svg, groups, label) {
    const marks = groups.flat(), groupOf = (mark) => groups.findIndex((group) => group.includes(mark));
    const frame = d3.select(svg).append('rect').attr('class', 'frame').attr('fill', 'none').attr('stroke', palette().text).attr('stroke-width', 2).attr('rx', 4).attr('display', 'none');
    const said = el('p', { className: 'mark', role: 'status', 'aria-live': 'polite' });
    const place = (mark) => {
      const outer = svg.getBoundingClientRect(), inner = mark.getBoundingClientRect(), scale = Number(svg.getAttribute('width')) / outer.width;
      return { x: (inner.left - outer.left) * scale - 4, y: (inner.top - outer.top) * scale - 4, width: inner.width * scale + 8, height: inner.height * scale + 8 };
    };
    let at = null;
    const step = (mark) => {
      at = mark ?? null;
      said.textContent = at ? at.getAttribute('aria-label') : '';
      frame.attr('display', at ? null : 'none');
      if (at) for (const [name, value] of Object.entries(place(at))) frame.attr(name, value);
      const series = at?.parentElement.getAttribute('class').match(/\bs(\d+)\b/);
      light(svg, series ? Number(series[1]) : null);
    };
    const beside = (by) => marks[at ? Math.min(marks.length - 1, Math.max(0, marks.indexOf(at) + by)) : 0];
    const across = (by) => {
      const group = at ? groups[groupOf(at) + by] : groups[0], x = at ? place(at).x : 0;
      return group ? d3.least(group, (mark) => Math.abs(place(mark).x - x)) : at;
    };
    const KEYS = {
      ArrowRight: () => beside(1), ArrowLeft: () => beside(-1), ArrowDown: () => across(1), ArrowUp: () => across(-1),
      Home: () => marks[0], End: () => marks.at(-1), Escape: () => null,
    };
    chart.onkeydown = (event) => {
      if (!KEYS[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault(); // the page would scroll
      step(KEYS[event.key]());
    };
    chart.onblur = () => step(null);
    chart.tabIndex = 0;
    chart.setAttribute('role', 'application');
    chart.setAttribute('aria-roledescription', 'chart');
    chart.setAttribute('aria-label', `${label}. The arrow keys step through ${plural(marks.length, 'mark')}.`);
    return said;
  }

  /** One line a store: the figure of today with its interval, and the published one. */
  function drawRanking(panel, element, shown) {
    const colors = palette(), total = width(element), wide = total >= 600, unit = panel.unit;
    const items = shown.filter((row) => row.median !== null || row.published).map((row) => {
      const now = row.median, then = row.published?.figure ?? null, sort = now ?? then;
      const ratio = now !== null && then !== null && now > 0 && then > 0 ? (MORE_IS_BETTER.includes(unit) ? now / then : then / now) : null;
      const compared = ratio === null ? '' : ratio >= 1 ? `${times(ratio)} ${unit === 'ns' ? 'faster' : 'better'}` : `${times(1 / ratio)} ${unit === 'ns' ? 'slower' : 'worse'}`;
      return {
        key: panel.key(row), samples: row.samples.slice(0, MOST_SAMPLES).sort(d3.ascending), name: panel.label(row) + (row.historic ? ' (historic)' : ''), now, then, low: row.low, high: row.high, sort, historic: row.historic,
        ratio, words: now === null ? '' : figure(now, unit), before: then === null ? '' : figure(then, unit), compared,
        about: [panel.label(row), now === null ? null : `now ${figure(now, unit)}`, row.low === null ? null : `95 % interval ${figure(row.low, unit)} to ${figure(row.high, unit)}`,
          then === null ? null : `published ${figure(then, unit)} for ${row.published.engine} (${row.published.study})`].filter(Boolean).join(', '),
      };
    }).sort((a, b) => (a.sort === b.sort ? 0 : isBetter(unit, a.sort, b.sort) ? -1 : 1));
    if (!items.length) return null;
    addRanks(items);
    const x = axis(items.flatMap((item) => [item.now, item.then, item.low, item.high]).filter((each) => each !== null), unit, wide);
    const linear = x.type === 'linear';
        const hasThen = items.some((item) => item.then !== null);
    const room = wide ? Math.min(total * (total > 860 ? 0.4 : 0.34), Math.max(...items.map((item) => textWidth(item.name))) + 14) : 0;
    // columns of words beside the drawing, or above each line where there is no room
    const column = (name, head) => (items.some((item) => item[name]) ? Math.max(textWidth(head, 12), ...items.map((item) => textWidth(item[name], 12, 600))) + 16 : 0);
    const studies = unique(shown.map((row) => row.published?.study).filter(Boolean)).join(', ');
    const columns = [['words', hasThen ? 'now' : '', column('words', 'now')], ['before', studies, column('before', studies)], ['compared', '', column('compared', '')]].filter(([, , size]) => size);
    // half of the words at each end of the axis
    const overhang = Math.max(14, ...(Array.isArray(x.ticks) ? x.ticks : x.domain).map((tick) => textWidth(x.format(tick), 12) / 2 + 3));
    const marginRight = wide ? d3.sum(columns, ([, , size]) => size) + 6 : overhang;
    const marginLeft = wide ? room : overhang;
    const above = (item) => [item.words || item.before, item.ratio ? times(item.ratio) : ''].filter(Boolean).join('  ');
    const start = x.domain[0];
    const band = wide ? (hasThen && linear ? 34 : 28) : (hasThen && linear ? 56 : 46);
    const top = wide ? 0 : 22; // above the drawing stands the name
    const half = hasThen && linear ? (band - top) / 2 : 0;
    const drawnNow = items.filter((item) => item.now !== null), drawnThen = items.filter((item) => item.then !== null);
    const withInterval = drawnNow.filter((item) => item.low !== null);
    const pattern = `then-${panel.id}`;
    const nowInset = { insetTop: top + 4, insetBottom: half + (half ? 1 : 5) }, thenInset = { insetTop: top + half + 1, insetBottom: 4 };
    const middle = (inset) => (inset.insetTop - inset.insetBottom) / 2;
    const dy = linear ? middle(nowInset) : top / 2;
    const svg = plot(element, {
      marginLeft, marginRight, marginTop: wide && hasThen ? 22 : 4, marginBottom: 30, height: items.length * band + (wide && hasThen ? 52 : 34),
      x: { type: x.type, domain: x.domain, label: null }, y: { type: 'band', domain: items.map((item) => item.key), padding: 0, axis: null, label: null },
    }, [
      Plot.gridX({ ticks: x.ticks, stroke: colors.line, strokeOpacity: 1 }),
      Plot.axisX({ ticks: x.ticks, text: x.format, tickSize: 0, label: null, fontSize: 12, fill: colors.muted }),
      wide
        ? Plot.text(items, { x: start, y: 'key', text: (item) => clipped(item.name, room - 14), textAnchor: 'end', dx: -10, fontSize: 13, fill: (item) => (item.historic ? colors.muted : colors.text), title: 'name' })
        : Plot.text(items, { x: start, y: 'key', text: (item) => clipped(item.name, total - textWidth(above(item), 12) - 32), textAnchor: 'start', dx: 4 - overhang, dy: -band / 2 + 13, fontSize: 13, fill: (item) => (item.historic ? colors.muted : colors.text), title: 'name' }),
      linear && Plot.barX(drawnNow, { x1: 0, x2: 'now', y: 'key', fill: colors.now, ...nowInset, ariaLabel: 'about', className: 'now' }),
      linear && Plot.barX(drawnThen, { x1: 0, x2: 'then', y: 'key', fill: `url(#${pattern})`, stroke: colors.then, ...thenInset, ariaLabel: 'about', className: 'then' }),
      !linear && Plot.ruleY(items, { x1: start, x2: (item) => Math.min(...[item.now, item.then].filter((each) => each !== null)), y: 'key', dy, stroke: colors.line, strokeWidth: 1 }),
      !linear && Plot.ruleY(items.filter((item) => item.now !== null && item.then !== null), { x1: 'now', x2: 'then', y: 'key', dy, stroke: colors.then, strokeWidth: 3, strokeOpacity: 0.35 }),
      !linear && Plot.dot(drawnThen, { x: 'then', y: 'key', dy, symbol: 'diamond', r: 6, fill: colors.page, stroke: colors.then, strokeWidth: 2, ariaLabel: 'about', className: 'then' }),
      Plot.ruleY(withInterval, { x1: 'low', x2: 'high', y: 'key', dy, stroke: linear ? colors.text : colors.now, strokeWidth: linear ? 1.5 : 2.5, ariaLabel: 'about', className: 'interval' }),
      ...['low', 'high'].map((end) => Plot.dot(withInterval, { x: end, y: 'key', dy, symbol: { draw(context) { context.moveTo(0, -4); context.lineTo(0, 4); } }, r: 4, stroke: linear ? colors.text : colors.now, strokeWidth: linear ? 1.5 : 2 })),
      !linear && Plot.dot(drawnNow, { x: 'now', y: 'key', dy, r: 5, fill: colors.now, stroke: colors.page, strokeWidth: 1, ariaLabel: 'about', className: 'now' }),
      ...(wide
        ? columns.flatMap(([name, head], index) => {
          const dx = d3.sum(columns.slice(0, index + 1), ([, , size]) => size) + 2;
          return [
            Plot.text([head], { frameAnchor: 'top-right', dx, dy: -16, textAnchor: 'end', fontSize: 12, fill: colors.muted }),
            Plot.text(items.filter((item) => item[name]), { frameAnchor: 'right', y: 'key', text: name, dx, textAnchor: 'end', fontSize: 12, fontWeight: name === 'words' ? 600 : 400, fontVariant: 'tabular-nums', fill: (item) => (name === 'words' ? colors.text : colors.muted) }),
          ];
        })
        : [Plot.text(items, { frameAnchor: 'right', y: 'key', text: above, textAnchor: 'end', dx: overhang - 4, dy: -band / 2 + 13, fontSize: 12, fill: colors.muted })]),
    ]);
    addPattern(svg, pattern, colors.then);
    const direction = MORE_IS_BETTER.includes(unit) ? 'right' : 'left';
    return {
      svg,
      caption: `${UNITS[unit]}${linear ? '' : ', logarithmic scale'}. Further ${direction} is better.${withInterval.length ? ' Lines with ends: 95 % interval of the median.' : ''}${!wide && items.some((item) => item.ratio) ? ` The factor is how many times ${unit === 'ns' ? 'faster' : 'better'} than published.` : ''}${items.some((item) => item.rank) ? ' Rows with the same rank show no difference in this run.' : ''}`,
      legend: hasThen ? [['now', linear ? 'bar' : 'circle', colors.now, 'measured now'], ['then', linear ? 'hatch' : 'diamond', colors.then, `published (${studies})`]] : null,
      summary: `${plural(items.length, 'row')}; ${items[0].name} is first with ${items[0].words || items[0].before}, ${items.at(-1).name} last with ${items.at(-1).words || items.at(-1).before}.`,
    };
  }

  /** A line a store over a number: value size, processes, percentile. */
  function drawLines(panel, element, lines, { x, xLabel, unit, name }) {
    const colors = palette(), total = width(element), wide = total >= 600;
    lines = lines.filter((line) => line.points.length);
    if (!lines.length) return null;
    const points = lines.flatMap((line) => line.points);
    const y = axis(points.flatMap((point) => [point.figure, point.low, point.high]).filter((each) => each !== null && each !== undefined), unit, true);
    const left = Math.max(...[].concat(Array.isArray(y.ticks) ? y.ticks : y.domain).map((tick) => textWidth(y.format(tick), 12))) + 16;
    const labelRoom = wide ? Math.min(total * 0.3, Math.max(...lines.map((line) => textWidth(line.label, 12))) + 22) : 14;
    const height = wide ? Math.max(380, Math.min(620, lines.length * 15 + 80)) : 340;
    const svg = plot(element, {
      marginLeft: left, marginRight: labelRoom, marginTop: 12, marginBottom: 44, height,
      x: { ...x, label: xLabel, labelAnchor: 'center', labelArrow: 'none', insetLeft: 8, insetRight: 8 },
      y: { type: y.type, domain: y.domain, label: null },
    }, [
      Plot.gridY({ ticks: y.ticks, stroke: colors.line, strokeOpacity: 1 }),
      Plot.axisY({ ticks: y.ticks, text: y.format, tickSize: 0, label: null, fontSize: 12, fill: colors.muted }),
      Plot.axisX({ ...(x.ticks ? { ticks: x.ticks } : {}), text: x.format, tickSize: 4, label: xLabel, labelAnchor: 'center', labelArrow: 'none', fontSize: 12, fill: colors.muted, lineWidth: 8 }),
      ...lines.flatMap((line) => {
        const { color, symbol, dash } = styleOf(line.row), className = `series s${line.index}`;
        const withInterval = line.points.filter((point) => point.low !== null && point.low !== undefined);
        return [
          Plot.line(line.points, { x: 'x', y: 'figure', stroke: color, strokeWidth: 1.8, strokeDasharray: dash ?? undefined, className }),
          withInterval.length ? Plot.ruleX(withInterval, { x: 'x', y1: 'low', y2: 'high', stroke: color, strokeWidth: 1.4, className: className + ' interval' }) : null,
          Plot.dot(line.points.filter((point) => point.marked !== false), { x: 'x', y: 'figure', symbol, r: 4, fill: color, stroke: colors.page, strokeWidth: 0.75, ariaLabel: (point) => `${line.label}, ${point.at}: ${figure(point.figure, unit)}`, className: className + ' point' }),
        ];
      }),
      Plot.tip(lines.flatMap((line) => line.points.map((point) => ({ ...point, label: line.label, index: line.index }))), Plot.pointer({
        x: 'x', y: 'figure', fill: colors.page, stroke: colors.line, fontSize: 12, textPadding: 8,
        title: (point) => `${point.label}\n${point.at}: ${figure(point.figure, unit)}${point.low === null || point.low === undefined ? '' : `\n95 %: ${figure(point.low, unit)} to ${figure(point.high, unit)}`}`,
      })),
    ]);
    svg.addEventListener('input', () => light(svg, svg.value ? svg.value.index : null));
    if (wide) labelLines(svg, lines, colors, height);
    return {
      svg, caption: `${name}. ${UNITS[unit]}${y.type === 'log' ? ', logarithmic scale' : ''}; ${MORE_IS_BETTER.includes(unit) ? 'more' : 'less'} is better.${points.some((point) => point.low) ? ' Vertical lines: 95 % interval of the median.' : ''}`,
      lines, summary: `${plural(lines.length, 'line')}.`,
    };
  }

  /** The names of the lines at their ends, moved apart where they would overlap. */
  function labelLines(svg, lines, colors, height) {
    const scale = svg.scale('y'), horizontal = svg.scale('x'), gap = 14, lowest = height - 50;
    const labels = lines.map((line) => {
      const last = line.points.at(-1);
      return { line, at: scale.apply(last.figure), x: horizontal.apply(last.x), y: scale.apply(last.figure) };
    }).sort((a, b) => a.at - b.at);
    const room = Math.min(gap, (lowest - 12) / Math.max(1, labels.length - 1));
    labels.forEach((label, index) => { label.y = Math.max(label.y, index ? labels[index - 1].y + room : 12); });
    for (let index = labels.length - 1, limit = lowest; index >= 0; --index, limit -= room) labels[index].y = Math.min(labels[index].y, limit);
    const edge = Math.max(...labels.map((label) => label.x));
    const group = d3.select(svg).append('g').attr('class', 'labels').attr('font-size', 12).attr('text-anchor', 'start');
    for (const { line, at, x, y } of labels) {
      const one = group.append('g').attr('class', `series s${line.index}`);
      one.append('path').attr('d', `M${x + 5},${at}L${edge + 8},${at}L${edge + 16},${y}`).attr('fill', 'none').attr('stroke', styleOf(line.row).color).attr('stroke-width', 0.8).attr('stroke-dasharray', '1 3');
      one.append('text').attr('x', edge + 19).attr('y', y).attr('dy', '0.34em').attr('fill', colors.text).text(clipped(line.label, 210, 12))
        .on('pointerenter', () => light(svg, line.index)).on('pointerleave', () => light(svg, null));
    }
  }
  function light(svg, index) {
    svg.classList.toggle('dim', index !== null);
    for (const element of svg.querySelectorAll('.series.lit')) element.classList.remove('lit');
    if (index !== null) for (const element of svg.querySelectorAll(`.series.s${index}`)) element.classList.add('lit');
  }

  const PERCENTS = [50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999];
  const NAMED = [50, 90, 99, 99.9, 99.99];

  /* ---------- a panel: one table of the report ---------- */

  class Panel {
    constructor(table, list) {
      this.table = table;
      this.rows = list;
      this.id = slug(table);
      this.name = table.includes(': ') ? table.slice(table.indexOf(': ') + 2) : table;
      this.operations = unique(list.map((row) => row.operation + (unique(list.map((each) => each.unit)).length > 1 ? `\u0000${row.unit}` : '')));
      const names = unique(list.flatMap((row) => Object.keys(row.settings)));
      this.varying = names.filter((name) => unique(list.map((row) => row.settings[name] ?? '')).length > 1);
      this.axes = this.varying.filter((name) => {
        const values = unique(list.map((row) => row.settings[name]).filter((each) => each !== undefined));
        return values.length > 1 && areNumbers(values);
      });
      this.fixed = names.filter((name) => !this.varying.includes(name)).map((name) => `${name}: ${list[0].settings[name]}`);
      this.names = this.varying.filter((name) => !this.axes.includes(name));
    }

    label(row) {
      return [row.store + (row.connection ? `, ${row.connection}` : ''), ...this.names.filter((name) => this.only?.[name] === undefined).filter((name) => row.settings[name] !== undefined && row.settings[name] !== '')
        .map((name) => (/^(on|off|yes|no|\d.*)$/.test(row.settings[name]) ? `${name} ${row.settings[name]}` : row.settings[name]))].join(', ');
    }

    key(row) {
      return JSON.stringify([row.store, row.connection, ...this.names.map((name) => row.settings[name] ?? null)]);
    }

    get settings() {
      return state.panels[this.id] ?? {};
    }

    set(name, value) {
      change((s) => { (s.panels[this.id] ??= {})[name] = value; });
      this.element.querySelector(`[data-control="${CSS.escape(name)}"] [data-value="${CSS.escape(value)}"], select[data-control="${CSS.escape(name)}"]`)?.focus();
    }

    /** What is chosen, from the fragment or by default. */
    choose() {
      const settings = this.settings;
      this.operation = this.operations.includes(settings.operation) ? settings.operation : this.operations[0];
      const [operation, unit] = this.operation.split('\u0000');
      const ofOperation = this.rows.filter((row) => row.operation === operation && (unit === undefined || row.unit === unit));
      this.unit = ofOperation[0].unit;
      const shown = ofOperation.filter(isShown);
      this.values = unique(ofOperation.map((row) => row.value));
      const order = new Map(ofOperation.map((row) => [row.value, row.bytes ?? Infinity]));
      this.values.sort((a, b) => order.get(a) - order.get(b));
      const count = (value) => ofOperation.filter((row) => row.value === value && row.published).length * 1e6 - Math.abs(Math.log((order.get(value) === Infinity ? 1e9 : order.get(value)) / 1000));
      const possible = this.values.filter((value) => shown.some((row) => row.value === value));
      this.value = possible.includes(settings.value) ? settings.value : possible.toSorted((a, b) => count(b) - count(a))[0] ?? this.values[0];
      const measured = ofOperation.filter((row) => row.median !== null);
      this.views = [];
      if (ofOperation.some((row) => row.published) && measured.length) this.views.push(['ranking', 'Then and now']);
      const places = (name) => unique(measured.map((row) => row.settings[name])).filter((each) => each !== undefined).length;
      const over = (names) => this.views.push(...names.map((name) => [`over ${name}`, `By ${name}`]));
      if (measured.some((row) => row.histogram && Object.keys(row.histogram.counts).length)) this.views.push(['percentiles', 'Percentiles']);
      over(this.axes.filter((name) => places(name) > 2));
      if (bySize(measured.map((row) => row.bytes).filter((each) => each !== null)).length > 2) this.views.push(['sizes', 'By size']);
      if (!this.views.some(([view]) => view === 'ranking')) this.views.push(['ranking', 'Ranking']);
      over(this.axes.filter((name) => places(name) === 2));
      this.views.push(['table', 'Table']);
      this.view = this.views.some(([view]) => view === settings.view) ? settings.view : this.views[0][0];
      this.at = {};
      for (const name of this.axes) {
        const values = bySize(ofOperation.map((row) => row.settings[name]).filter((each) => each !== undefined));
        const published = (value) => ofOperation.filter((row) => row.settings[name] === value && row.published).length;
        const first = values.toSorted((a, b) => published(b) - published(a))[0];
        this.at[name] = { values, value: values.includes(settings[name]) ? settings[name] : first };
      }
      // too many lines to tell apart: those settings with most of them have one value, if nobody has chosen
      this.only = {};
      const names = this.names.map((name) => [name, unique(measured.map((row) => row.settings[name]).filter((each) => each !== undefined)).sort()]).filter(([, values]) => values.length > 1);
      this.choices = new Map(names);
      const lines = () => new Set(ofOperation.filter((row) => this.isChosen(row) && (this.values.length < 2 || row.value === this.value)).map((row) => this.key(row))).size;
      for (const [name, values] of names) if (values.includes(settings[name])) this.only[name] = settings[name];
      for (const [name, values] of names.toSorted(([, a], [, b]) => b.length - a.length)) {
        const limit = this.view === 'table' ? Infinity : this.view === 'ranking' ? 20 : 10;
        if (settings[name] === undefined && lines() > limit) this.only[name] = d3.greatest(values, (value) => measured.filter((row) => row.settings[name] === value).length);
      }
      return shown.filter((row) => this.isChosen(row));
    }

    isChosen(row) {
      return Object.entries(this.only).every(([name, value]) => row.settings[name] === undefined || row.settings[name] === value);
    }

    draw() {
      if (!this.drawn) return;
      const shown = this.choose();
      const isLatency = this.views.some(([view]) => view === 'percentiles');
      const columns = this.view === 'table' && !isLatency && this.values.length < 2 ? this.axes[0] : null;
      const over = this.view.startsWith('over ') ? this.view.slice(5) : columns;
      const fixed = this.axes.filter((name) => name !== over);
      const needsValue = this.view !== 'sizes' && (this.view !== 'table' || isLatency) && this.values.length > 1;
      const isAt = (row, names) => names.every((name) => row.settings[name] === undefined || row.settings[name] === this.at[name].value);
      const here = shown.filter((row) => isAt(row, fixed) && (!needsValue || row.value === this.value));
      const control = (field, name) => { field.querySelector('select').dataset.control = name; return field; };
      const views = segmented(el('div', { className: 'segmented', role: 'group', 'aria-label': 'View', 'data-control': 'view' }), this.views, this.view, (view) => this.set('view', view));
      const OPERATION = ([operation, unit]) => operation + (unit ? `, ${UNITS[unit].toLowerCase()}` : '');
      const controls = el('div', { className: 'controls' },
        this.operations.length > 1 ? control(select('Operation', this.operations.map((each) => [each, OPERATION(each.split('\u0000'))]), this.operation, (value) => this.set('operation', value)), 'operation') : null,
        needsValue ? control(select('Value', this.values.map((value) => [value ?? '', this.valueName(value)]), this.value ?? '', (value) => this.set('value', value)), 'value') : null,
        ...[...this.choices].map(([name, values]) => control(select(name[0].toUpperCase() + name.slice(1), [['all', 'all'], ...values.map((value) => [value, value])], this.only[name] ?? 'all', (value) => this.set(name, value)), name)),
        ...fixed.map((name) => control(select(name[0].toUpperCase() + name.slice(1), this.at[name].values.map((value) => [value, value]), this.at[name].value, (value) => this.set(name, value)), name)));
      const body = el('figure', {}, el('div', { className: 'chart' }));
      this.element.replaceChildren(
        el('header', {}, el('h3', { id: `${this.id}-title` }, this.title()), views),
        ...(controls.childElementCount ? [controls] : []), body);
      const chart = body.querySelector('.chart');
      const drawing = this.view === 'table' ? null : this.drawing(chart, here, over);
      if (this.view === 'table') chart.replaceWith(this.tableOf(here, over, isLatency));
      else if (!drawing) chart.append(el('p', { className: 'empty' }, here.length ? 'No figure: every store failed here. The reasons are listed below.' : 'None of the chosen stores and sizes was measured here.'));
      else this.show(body, chart, drawing);
      this.tools(drawing, here);
      this.notes(here);
    }

    title() {
      return this.name === 'compare' ? 'Stores and values' : this.name[0].toUpperCase() + this.name.slice(1);
    }

    valueName(value) {
      const size = this.rows.find((row) => row.value === value)?.bytes;
      return value === null ? 'no value' : size && !/\d\s?(b|kb?|mb?)\b/i.test(value) ? `${value} (${bytes(size)})` : value;
    }

    drawing(chart, here, over) {
      const lines = (list, x) => [...d3.group(list, (row) => this.key(row)).values()].map((group) => ({
        row: group[0], label: this.label(group[0]),
        points: group.filter((row) => row.median !== null && x(row) !== undefined && x(row) !== null).map((row) => ({ x: x(row), figure: row.median, low: row.low, high: row.high, row })).sort((a, b) => a.x - b.x),
      })).map((line, index) => ({ ...line, index }));
      document.body.contains(chart) || this.element.append(chart);
      if (this.view === 'ranking') return drawRanking(this, chart, here);
      if (this.view === 'sizes') {
        // values of other kinds, such as arrays among strings, would make steps that have nothing to do with size
        const kind = (row) => (row.value ?? '').replace(/[\d.,]+\s*([kmg]?b|k|m|bytes)\b/gi, '').trim();
        const kinds = d3.rollup(here.filter((row) => row.bytes > 0), (group) => unique(group.map((row) => row.bytes)).length, kind);
        const most = d3.greatest(kinds, ([, count]) => count)?.[0];
        const others = unique(here.filter((row) => kind(row) !== most).map((row) => row.value));
        const strings = lines(here.filter((row) => row.bytes > 0 && kind(row) === most), (row) => row.bytes).map((line) => ({ ...line, points: [...new Map(line.points.map((point) => [point.x, { ...point, at: point.row.value }])).values()] }));
        return drawLines(this, chart, strings, { x: { type: 'log', format: bytes, ticks: this.sizeTicks(strings, width(chart)) }, xLabel: 'Size of the value', unit: this.unit, name: `By the size of the value${others.length ? ` (without ${others.join(', ')})` : ''}` });
      }
      if (this.view === 'percentiles') {
        const list = here.filter((row) => row.histogram && Object.keys(row.histogram.counts).length).map((row, index) => ({
          row, index, label: this.label(row),
          points: percentiles(row.histogram, PERCENTS).filter((each) => each.count * (1 - each.percent / 100) >= 1 || each.percent === 50)
            .map((each) => ({ x: -Math.log10(1 - each.percent / 100), figure: Math.max(1, each.figure), at: `p${each.percent}`, marked: NAMED.includes(each.percent) })),
        }));
        const most = Math.max(1, ...list.flatMap((line) => line.points.map((point) => point.x)));
        const ticks = NAMED.concat(99.999).map((percent) => -Math.log10(1 - percent / 100)).filter((each) => each <= most + 1e-6);
        return drawLines(this, chart, list, { x: { type: 'linear', ticks, format: (each) => 'p' + Number((100 - 100 * 10 ** -each).toPrecision(6)) }, xLabel: 'Percentile', unit: 'ns', name: 'Latency that so many percent of the operations did not exceed' });
      }
      const at = this.at[over].values.map(numberOf);
      const isWide = Math.min(...at) > 0 && Math.max(...at) / Math.min(...at) >= 8;
      const list = lines(here, (row) => (row.settings[over] === undefined ? null : numberOf(row.settings[over]))).map((line) => ({ ...line, points: line.points.map((point) => ({ ...point, at: `${over} ${point.row.settings[over]}` })) }));
      return drawLines(this, chart, list, { x: { type: isWide ? 'log' : 'linear', ticks: at.length <= 12 ? at : undefined, format: (each) => this.at[over].values.find((value) => numberOf(value) === each) ?? grouped(each) }, xLabel: over[0].toUpperCase() + over.slice(1), unit: this.unit, name: `By ${over}` });
    }

    sizeTicks(lines, room) {
      const all = bySize(lines.flatMap((line) => line.points.map((point) => point.x)));
      const span = Math.log(all.at(-1) / all[0]) || 1;
      const kept = [];
      for (const size of all) if (!kept.length || Math.log(size / kept.at(-1)) / span * (room - (room < 600 ? 100 : 260)) > 46) kept.push(size);
      return kept;
    }

    show(body, chart, drawing) {
      const { svg, caption, legend, lines, summary } = drawing;
      svg.setAttribute('role', 'img');
      svg.setAttribute('aria-label', `${this.title()}. ${caption} ${summary} The same figures are in the view Table.`);
      const fixed = this.fixed.length ? ` ${this.fixed.join(', ').replace(/^./, (first) => first.toUpperCase())}.` : '';
      body.insertBefore(el('figcaption', { className: 'caption' }, caption + fixed), chart);
      chart.replaceChildren(svg);
      const marks = marksOf(svg, lines);
      if (marks.length) chart.after(stepThrough(chart, svg, marks, this.title()));
      if (legend) body.append(el('ul', { className: 'legend' }, ...legend.map(([, shape, color, name]) => el('li', {}, legendIcon(shape, color), name))));
      if (lines && width(chart) < 600) {
        body.append(el('ul', { className: 'legend' }, ...lines.map((line) => el('li', {
          onpointerenter: () => light(svg, line.index), onpointerleave: () => light(svg, null),
        }, symbolIcon(line.row), line.label))));
      }
    }

    tools(drawing, here) {
      const name = `larder-${this.id}`;
      this.element.append(el('div', { className: 'tools' },
        drawing ? el('button', { type: 'button', className: 'link', 'data-download': 'svg', onclick: () => download(`${name}.svg`, 'image/svg+xml', exported(drawing, this)) }, 'Download SVG') : null,
        el('button', { type: 'button', className: 'link', 'data-download': 'csv', onclick: () => download(`${name}.csv`, 'text/csv', csv(this.rows)) }, 'Download CSV')));
    }

    notes(list) {
      const failed = list.filter((row) => row.failures > 0 || (row.median === null && !row.historic));
      const historic = list.filter((row) => row.historic);
      const missing = header.not_measured.filter((row) => row.table === this.table);
      const byNote = d3.rollup(list.flatMap((row) => row.notes.map((note) => [note, this.label(row)])), (pairs) => unique(pairs.map(([, label]) => label)), ([note]) => note);
      const lines = [
        ...failed.map((row) => el('li', { className: 'failed' }, `${this.label(row)}${row.value ? ', ' + row.value : ''}: failed. ${row.problem}${row.failures > 1 ? ` (${grouped(row.failures)} times)` : ''}`)),
        ...[...byNote].map(([note, labels]) => el('li', {}, `${labels.length > 4 ? plural(labels.length, 'row') : labels.join('; ')}: ${note}`)),
        ...unique(list.filter((row) => row.published?.environment).map((row) => `${row.published.study}: ${row.published.environment}`)).map((each) => el('li', {}, `Published in ${each}.`)),
        historic.length ? el('li', {}, `Historic, their engines no longer exist for today’s PHP: ${unique(historic.map((row) => this.label(row))).join('; ')}.`) : null,
        ...[...d3.group(missing, (row) => row.reason)].map(([reason, group]) => el('li', {}, `Not measured: ${unique(group.map((row) => this.label({ ...row, settings: row.settings ?? {} }))).join('; ')}. ${reason}`)),
      ].filter(Boolean);
      if (!lines.length) return;
      const notes = el('ul', {}, ...lines);
      this.element.append(el('div', { className: 'notes' }, lines.length > 3 ? el('details', {}, el('summary', {}, `${lines.length} notes on these rows`), notes) : notes));
    }

    /** Rows by store; columns by value, or by the first axis where there is one value, or the percentiles. */
    tableOf(list, over, isLatency) {
      if (!list.length) return el('p', { className: 'empty' }, 'None of the chosen stores and sizes was measured here.');
      const columnOf = (row) => (over ? row.settings[over] : row.value);
      const columns = over ? this.at[over].values : this.values.filter((value) => list.some((row) => row.value === value));
      const lines = [...d3.group(list, (row) => this.key(row)).values()];
      const cells = new Map(lines.map((group) => [group, columns.map((column) => group.find((row) => columnOf(row) === column))]));
      const best = columns.map((_, index) => d3[MORE_IS_BETTER.includes(this.unit) ? 'max' : 'min'](lines.map((group) => cells.get(group)[index]?.median).filter((each) => each !== null && each !== undefined)));
      const ratio = (median, index) => (MORE_IS_BETTER.includes(this.unit) ? best[index] / median : median / best[index]);
      const mean = (group) => d3.mean(cells.get(group).map((row, index) => (row?.median > 0 ? Math.log(ratio(row.median, index)) : null)).filter((each) => each !== null)) ?? Infinity;
      lines.sort((a, b) => mean(a) - mean(b));
      const extra = isLatency ? [50, 90, 99, 99.9] : [];
      const heading = (column) => (over ? `${over} ${column}` : column === null ? UNITS[this.unit] : this.valueName(column));
      const caption = `${UNITS[this.unit]}: median${list.some((row) => row.low !== null) ? ' and 95 % interval' : ''}. The stronger the color, the nearer to the best of the column; the best is bold.`;
      return el('div', {}, el('p', { className: 'caption' }, caption), el('div', { className: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Table: ${this.title()}` }, el('table', {},
        el('caption', { className: 'visually-hidden' }, caption),
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Store'), ...columns.map((column) => el('th', { scope: 'col' }, heading(column))),
          ...extra.map((percent) => el('th', { scope: 'col' }, `p${percent}`)), ...(extra.length ? [el('th', { scope: 'col' }, 'maximum')] : []))),
        el('tbody', {}, ...lines.map((group) => el('tr', {}, el('th', { scope: 'row' }, this.label(group[0]) + (group.every((row) => row.historic) ? ' (historic)' : '')),
          ...cells.get(group).map((row, index) => this.cell(row, row?.median > 0 ? ratio(row.median, index) : null)),
          ...(extra.length ? this.latencies(cells.get(group)[0], extra) : [])))))));
    }

    latencies(row, extra) {
      if (!row?.histogram || !Object.keys(row.histogram.counts).length) return [...extra, 0].map(() => el('td', {}, '–'));
      return [...percentiles(row.histogram, extra).map((each) => el('td', {}, figure(each.figure, 'ns'))), el('td', {}, figure(row.histogram.maximum, 'ns'))];
    }

    cell(row, ratio) {
      if (!row) return el('td', {}, '–');
      if (row.failures > 0 || (row.median === null && !row.historic)) return el('td', { className: 'failed', title: row.problem }, 'failed');
      const cell = el('td', { className: 'heat' + (ratio === 1 ? ' best' : '') },
        row.median === null ? '–' : figure(row.median, this.unit),
        row.low === null ? '' : el('small', {}, `${figure(row.low, this.unit)} – ${figure(row.high, this.unit)}`),
        row.published ? el('small', {}, `${row.published.study}: ${figure(row.published.figure, row.unit)}`) : '');
      if (ratio) {
        cell.style.setProperty('--strength', Math.max(0, 0.55 * (1 - Math.log10(ratio) / 3)).toFixed(3));
        cell.title = ratio === 1 ? 'the best of this column' : `${times(ratio)} the best of this column`;
      }
      return cell;
    }
  }

  function legendIcon(shape, color) {
    const svg = d3.create('svg').attr('width', 22).attr('height', 14).attr('aria-hidden', 'true');
    if (shape === 'circle') svg.append('circle').attr('cx', 11).attr('cy', 7).attr('r', 5).attr('fill', color);
    else if (shape === 'diamond') svg.append('path').attr('transform', 'translate(11 7)').attr('d', d3.symbol(d3.symbolDiamond, 80)()).attr('fill', palette().page).attr('stroke', color).attr('stroke-width', 2);
    else {
      if (shape === 'hatch') addPattern(svg.node(), `legend-${color.slice(1)}`, color);
      svg.append('rect').attr('y', 2).attr('width', 22).attr('height', 10).attr('fill', shape === 'hatch' ? `url(#legend-${color.slice(1)})` : color).attr('stroke', color);
    }
    return svg.node();
  }

  /** A chart as a file of its own: with its title, its caption and where it comes from. */
  function exported({ svg, caption, legend }, panel) {
    const copy = svg.cloneNode(true), colors = palette();
    copy.querySelector('.frame')?.remove();
    copy.classList.remove('dim');
    const [total, height] = ['width', 'height'].map((name) => Number(svg.getAttribute(name)));
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const bottom = legend ? 60 : 40;
    copy.setAttribute('viewBox', `-16 -60 ${total + 32} ${height + 60 + bottom}`);
    copy.setAttribute('width', total + 32);
    copy.setAttribute('height', height + 60 + bottom);
    const selection = d3.select(copy);
    selection.insert('rect', ':first-child').attr('x', -16).attr('y', -60).attr('width', total + 32).attr('height', height + 60 + bottom).attr('fill', colors.page);
    const write = (x, y, size, fill, words, weight = 400) => selection.append('text').attr('x', x).attr('y', y).attr('font-size', size).attr('font-weight', weight).attr('fill', fill).text(words);
    write(0, -32, 17, colors.text, panel.title(), 600);
    write(0, -12, 12, colors.muted, caption);
    if (legend) {
      let x = 0;
      for (const [, shape, color, name] of legend) {
        const icon = legendIcon(shape, color);
        icon.setAttribute('x', x);
        icon.setAttribute('y', height + 6);
        copy.append(icon);
        write(x + 28, height + 18, 12, colors.text, name);
        x += 50 + textWidth(name, 12);
      }
    }
    write(0, height + bottom - 14, 11, colors.muted, citation());
    return new XMLSerializer().serializeToString(copy);
  }

  function csv(list) {
    const names = unique(list.flatMap((row) => Object.keys(row.settings))).sort();
    const columns = ['table', 'store', 'connection', 'value', 'bytes', 'operation', ...names.map((name) => `settings.${name}`), 'unit', 'median', 'low', 'high', 'samples', 'failures', 'problem', 'published', 'study', 'notes'];
    const cell = (row, column) => {
      if (column.startsWith('settings.')) return row.settings[column.slice(9)];
      if (column === 'samples') return row.samples.join(' ');
      if (column === 'published') return row.published?.figure;
      if (column === 'study') return row.published?.study;
      return column === 'notes' ? row.notes.join('; ') : row[column];
    };
    const quote = (content) => (/[",\r\n]/.test(content) ? `"${content.replaceAll('"', '""')}"` : content);
    return [columns, ...list.map((row) => columns.map((column) => cell(row, column)))].map((line) => line.map((content) => quote(String(content ?? ''))).join(',')).join('\r\n') + '\r\n';
  }

  /* ---------- the page ---------- */

  const environment = header.environment;
  const date = typeof environment.date === 'string' ? environment.date.slice(0, 10) : '';
  const machine = [environment.processor, environment.cores ? plural(environment.cores, 'core') : null].filter(Boolean).join(', ');
  const citation = () => `larder compare${environment.larder ? ' ' + environment.larder : ''}${machine ? `, ${machine}` : ''}${environment.php ? `, PHP ${environment.php}` : ''}${date ? `, ${date}` : ''}, sha256:${header.checksum.slice(0, 16)}`;

  const SECTIONS = [
    [/^sail: interleaved|^http|^pages/, 'http', 'HTTP', 'Whole pages, served by a web server.'],
    [/^(2008|2013|2016|sail)(:|$)/, 'studies', 'The studies, then and now', 'Tables that others have published, measured again on this machine with today’s systems. Hardware and versions have changed: compare the order and the ratios, not the nanoseconds.'],
    [/^compare/, 'stores', 'Stores', 'One operation of one process on an open connection.'],
    [/^objects/, 'objects', 'Objects', 'Values that are objects, which each store has to encode.'],
    [/throughput|^scaling/, 'scaling', 'Scaling', 'Several processes at once.'],
    [/^latency/, 'latency', 'Latency', 'Single operations, timed one by one and merged over all processes. Percentiles are never averaged.'],
    [/^rate/, 'rate', 'Latency under load', 'Operations at a constant rate, whatever the store does. Each is counted from the moment when it was to start.'],
    [/^memory/, 'memory', 'Memory and cost', 'What an entry takes besides its value, and what an operation takes besides time.'],
    [/^(pressure|hit)/, 'hits', 'Hit rates', 'When the data is larger than the memory.'],
  ];
  const ORDER = ['stores', 'objects', 'latency', 'rate', 'scaling', 'memory', 'hits', 'http'];
  const sections = new Map();
  for (const table of unique(rows.map((row) => row.table))) {
    const prefix = table.split(':')[0];
    const [, id, title, intro] = SECTIONS.find(([pattern]) => pattern.test(table)) ?? [null, `more-${slug(prefix)}`, prefix[0].toUpperCase() + prefix.slice(1), ''];
    if (!sections.has(id)) sections.set(id, { id, title, intro, tables: [] });
    sections.get(id).tables.push(table);
  }
  const rank = (section) => (ORDER.includes(section.id) ? ORDER.indexOf(section.id) : ORDER.length);

  const panels = [];
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const panel = entry.isIntersecting ? panels.find((each) => each.element === entry.target) : null;
      if (panel && !panel.drawn) {
        panel.drawn = true;
        panel.draw();
      }
    }
  }, { rootMargin: '900px' });
  function redraw() {
    for (const panel of panels) panel.draw();
  }

  const listing = (label, heads, lines) => el('div', { className: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, el('table', {}, el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col', className: 'text' }, head)))),
    el('tbody', {}, ...lines.map(([first, ...rest]) => el('tr', {}, el('th', { scope: 'row' }, first), ...rest.map((each) => el('td', { className: 'text' }, each)))))));
  /** The score as dots: it starts at 1, so bars from zero would mean nothing. */
  function scoreOf({ title, scores }) {
    const panel = { id: slug(title), title: () => title };
    const chart = el('div', { className: 'chart' });
    panel.element = el('article', { className: 'card panel', id: `panel-${panel.id}`, 'aria-labelledby': `${panel.id}-title` });
    panel.draw = () => {
      if (!panel.drawn) return;
      const shown = scores.filter(({ store, connection }) => isShown({ store, connection, bytes: null }));
      const body = el('figure', {}, chart);
      panel.element.replaceChildren(el('header', {}, el('h3', { id: `${panel.id}-title` }, title)), body);
      const items = shown.map(({ name, store, connection, score, low, high, rounds }) => ({ store, connection, settings: { name }, median: score, low, high, published: null, historic: false, samples: rounds }));
      const drawing = drawRanking({ id: panel.id, unit: 'score', key: (row) => row.settings.name, label: (row) => row.settings.name }, chart, items);
      if (drawing) Panel.prototype.show.call({ title: panel.title, fixed: [] }, body, chart, drawing);
      else chart.replaceChildren(el('p', { className: 'empty' }, 'None of the chosen stores has a score.'));
      if (drawing) panel.element.append(el('div', { className: 'tools' }, el('button', { type: 'button', className: 'link', 'data-download': 'svg', onclick: () => download(`larder-${panel.id}.svg`, 'image/svg+xml', exported(drawing, panel)) }, 'Download SVG')));
      const missing = shown.filter((each) => each.missing.length);
      panel.element.append(el('div', { className: 'notes' }, el('details', {}, el('summary', {}, 'Table'), listing(title, ['Store', 'Score', '95 % interval', 'Without a figure'], shown.map(({ name, score, low, high, missing }) => [name, figure(score, 'score'), low === null ? '–' : `${figure(low, 'score')} – ${figure(high, 'score')}`, missing.join(', ') || '–']))),
        missing.length ? el('p', {}, `${plural(missing.length, 'store')} without a figure in some rows: the table names them.`) : null));
    };
    panels.push(panel);
    return panel.element;
  }

  /** Folded, and its summary says what is in it. */
  const section = (id, title, result, intro, ...children) => el('section', { id, 'aria-labelledby': `${id}-heading` },
    el('details', { className: 'fold' }, el('summary', {}, el('h2', { id: `${id}-heading` }, title), el('span', {}, result)),
      intro ? el('p', { className: 'intro' }, intro) : null, ...children));
  const unfold = (element) => { element?.querySelectorAll('.fold').forEach((fold) => { fold.open = true; }); };
  const main = document.getElementById('content');
  const blocks = [];
  const measured = ({ id, title, intro, tables }) => {
    const cards = tables.sort((a, b) => d3.ascending(a.split(':')[0], b.split(':')[0])).map((table) => {
      const panel = new Panel(table, rows.filter((row) => row.table === table));
      if (id === 'studies') panel.title = () => panel.table;
      panel.element = el('article', { className: 'card panel', id: `panel-${panel.id}`, 'aria-labelledby': `${panel.id}-title`, style: 'min-height: 320px' });
      panels.push(panel);
      return panel.element;
    });
    return section(id, title, plural(rows.filter((row) => tables.includes(row.table)).length, 'row'), intro, ...cards);
  };

  // without an answer above, the page itself names them
  if (header.spoilers.length && !document.getElementById('spoilers')) blocks.push(el('section', { id: 'spoilers', className: 'notice', 'aria-labelledby': 'spoilers-heading' }, el('h2', { id: 'spoilers-heading' }, 'What may have spoiled this run'), el('ul', {}, ...header.spoilers.map((each) => el('li', {}, each)))));
  // whoever repeats a study wants to see it beside the published figures first, and then what follows from it
  if (sections.has('studies')) blocks.push(measured(sections.get('studies')));
  blocks.push(...[...sections.values()].filter(({ id }) => id !== 'studies').sort((a, b) => rank(a) - rank(b)).map(measured));
  const advice = Object.entries(facts.advice);
  if (advice.length) {
    blocks.push(section('advice', 'More to gain', (facts.advice['Saves time']?.[0] ?? 'no change that was measured').split(' (')[0], 'From the figures of this run. They alone decide; no store has a rule of its own.', el('div', { className: 'card advice' },
      ...advice.map(([title, lines]) => el('div', {}, el('h3', {}, title), el('ul', {}, ...lines.map((line) => el('li', {}, line))))))));
  }
  if (facts.scores.length) blocks.push(section('score', 'Score', `best: ${facts.scores[0].scores[0].name}`, 'One number for each store: the geometric mean of its ratios to the best in each row. 1 is the best everywhere; a row without a figure costs twice the slowest. Default settings and others apart.', ...facts.scores.map(scoreOf)));

  const failed = rows.filter((row) => row.failures > 0 || (row.median === null && !row.historic));
  const historic = rows.filter((row) => row.historic);
  const where = (row) => [row.store + (row.connection ? `, ${row.connection}` : ''), row.operation, row.value, ...Object.entries(row.settings ?? {}).map(([name, value]) => `${name} ${value}`)].filter(Boolean).join(', ');
  const gaps = [];
  if (failed.length) gaps.push(el('h3', {}, plural(failed.length, 'row') + ' failed'), listing('Failed rows', ['Table', 'Row', 'Failures', 'Reason'], failed.map((row) => [row.table, where(row), grouped(row.failures), row.problem])));
  const merged = (list, words, key) => [...d3.group(list, (row) => JSON.stringify([row.table, row.store, row.connection, row.operation, row.settings, key(row)])).values()]
    .map((group) => [group[0].table, where({ ...group[0], value: null }), ...words(group)]);
  if (header.not_measured.length) gaps.push(el('h3', {}, plural(header.not_measured.length, 'row') + ' not measured'), listing('Rows not measured', ['Table', 'Row', 'Reason', 'Values'], merged(header.not_measured, (group) => [group[0].reason, unique(group.map((row) => row.value ?? '')).filter(Boolean).join(', ')], (row) => row.reason)));
  if (historic.length) gaps.push(el('h3', {}, plural(historic.length, 'historic row')), listing('Historic rows', ['Table', 'Row', 'Published figures'], merged(historic, (group) => [group.map((row) => (row.value ? `${row.value}: ` : '') + figure(row.published.figure, row.unit)).join('; ')], () => null)));
  if (gaps.length) blocks.push(section('missing', 'Failed, not measured, historic', plural(failed.length + historic.length + header.not_measured.length, 'row'), 'A store that fails once in a row has no figure in it. Historic rows have their published figure alone, as their engines no longer exist for today’s PHP.', el('div', { className: 'card missing' }, ...gaps)));

  const spoken = (value) => (value === null || value === undefined || value === '' ? '–' : value === true ? 'on' : value === false ? 'off' : Array.isArray(value) ? value.map(spoken).join(', ') || 'none' : typeof value === 'object' ? Object.entries(value).map(([name, each]) => `${name.replaceAll('_', ' ')} ${spoken(each)}`).join(', ') || 'none' : String(value));
  const named = (name) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
  const definitions = (object) => el('dl', {}, ...Object.entries(object).flatMap(([name, value]) => [el('dt', {}, name.replaceAll('_', ' ')), el('dd', {}, spoken(value))]));
  const nested = Object.entries(environment).filter(([, value]) => value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length);
  blocks.push(section('machine', 'Machine, versions, settings', [environment.php ? `PHP ${environment.php}` : null, environment.system].filter(Boolean).join(', '), null, el('div', { className: 'card facts' },
    el('div', {}, el('h3', {}, 'Run'), definitions(Object.fromEntries(Object.entries(environment).filter(([name]) => !nested.some(([other]) => other === name))))),
    ...nested.map(([name, value]) => el('div', {}, el('h3', {}, named(name)), definitions(value))))));

  const rounds = d3.max(rows, (row) => row.samples.length) ?? 0;
  blocks.push(section('method', 'How it was measured', plural(rounds, 'round') + ', shuffled, every value checked', null, el('div', { className: 'card' }, el('ul', {},
    ...[
      `A figure is the median of up to ${plural(rounds, 'sample')}. Each sample comes from a fresh process, or from one run of a load generator.`,
      'The run goes in rounds. Each round measures everything once, in an order that is shuffled again for each round, so that a change of the machine meets all stores alike.',
      rows.some((row) => row.low !== null)
        ? 'Intervals are 95 % confidence intervals of the median: of ten samples, from the second smallest to the second largest. Rows share a rank where the exact rank sum test, corrected for the number of rows, tells them not apart.'
        : 'There are no intervals: they need six samples for a figure. So this run shows no differences between stores.',
      'Values are checked while they are measured. A store that loses or changes a value, or fails, has no figure in that row: it is listed with the reason.',
      'Percentiles come from histograms of single operations that are merged over all processes. A percentile is at most 0.8 % too high.',
      'On a logarithmic scale a position shows a figure, so figures are drawn as dots. On a linear scale they are bars from zero.',
      'Every store is measured by the same code, and drawn in the same way. Colors and symbols follow the alphabet.',
    ].map((each) => el('li', {}, each))))));

  const bibtex = `@misc{larder-${date || 'report'},\n  title = {${document.title}},\n  howpublished = {larder compare ${environment.larder ?? ''}},\n  date = {${date}},\n  note = {sha256:${header.checksum}}\n}`;
  const full = citation().replace(/sha256:.*/, `sha256:${header.checksum}`);
  const copy = (content) => el('button', { type: 'button', onclick: async (event) => {
    const { target } = event;
    try {
      await navigator.clipboard.writeText(content);
    } catch {
      getSelection().selectAllChildren(target.closest('section').querySelector('.cite')); // without leave to copy, the text is selected
      return;
    }
    target.textContent = 'Copied';
    setTimeout(() => { target.textContent = 'Copy'; }, 1500);
  } }, 'Copy');
  blocks.push(section('cite', 'Cite this, get the data', 'JSON Lines, CSV, BibTeX', 'The checksum is that of the rows below, as in the file of --json: it names this run.', el('div', { className: 'card' },
    el('p', { className: 'cite', id: 'citation' }, full), copy(full),
    el('details', {}, el('summary', {}, 'BibTeX'), el('pre', { className: 'cite' }, bibtex)),
    el('h3', { style: 'margin: 18px 0 8px' }, 'Data'),
    el('div', { className: 'downloads' },
      el('button', { type: 'button', id: 'download-jsonl', onclick: () => download(`larder-compare-${date}.jsonl`, 'application/x-ndjson', text) }, `JSON Lines (${bytes(new Blob([text]).size)})`),
      el('button', { type: 'button', id: 'download-csv', onclick: () => download(`larder-compare-${date}.csv`, 'text/csv', csv(rows)) }, 'CSV')))));

  readFragment();
  showFilters();
  main.replaceChildren(...blocks);
  const unfoldNamed = () => {
    if (!location.hash.includes('=')) unfold(document.getElementById(location.hash.slice(1)));
    for (const id of Object.keys(state.panels)) unfold(document.getElementById(`panel-${id}`)?.closest('section'));
  };
  unfoldNamed();
  // without an answer above, the first figures are what a reader came for
  if (!document.querySelector('.first')) unfold(main.querySelector('section:has(.panel)'));
  for (const panel of panels) observer.observe(panel.element);
  if (location.hash && !location.hash.includes('=')) document.getElementById(location.hash.slice(1))?.scrollIntoView();

  addEventListener('hashchange', () => {
    readFragment();
    showFilters();
    unfoldNamed();
    redraw();
  });
  systemTheme.addEventListener('change', redraw);
  let lastWidth = main.clientWidth;
  new ResizeObserver(() => {
    if (main.clientWidth === lastWidth) return;
    lastWidth = main.clientWidth;
    requestAnimationFrame(redraw);
  }).observe(main);
  addEventListener('beforeprint', () => {
    unfold(main);
    for (const panel of panels) panel.drawn = true;
    redraw();
  });
  performance.mark('ready');
  document.documentElement.dataset.ready = 'true';
})();
