(async () => {
  'use strict';

  /* ---------- the data: JSON Lines as `larder compare --json` writes them ---------- */

  const text = await inflate(document.getElementById('data').textContent);
  const [header, ...records] = text.trimEnd().split('\n').map((line) => JSON.parse(line));
  const ranks = JSON.parse(document.getElementById('ranks').textContent);
  const MORE_IS_BETTER = ['requests/s', 'operations/s', '%'];
  const rows = records.map((record, index) => ({
    ...record,
    settings: record.settings ?? {},
    historic: record.median === null && !record.failures && record.published !== null,
    task: ranks[index][0],
    rank: ranks[index][1],
    percentiles: ranks[index][2], // [percent, nanoseconds]; the last is the maximum
  }));

  async function inflate(base64) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  }

  /* ---------- words and numbers ---------- */

  const RATES = [[1e6, 'M/s'], [1e3, 'k/s'], [1, '/s']];
  const SCALES = {
    ns: [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']],
    bytes: [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']],
    'requests/s': RATES, 'operations/s': RATES, '%': [[1, '%']], count: [[1, '']],
  };
  const UNITS = {
    ns: 'Time of one operation', 'requests/s': 'Requests per second', 'operations/s': 'Operations per second',
    bytes: 'Bytes', '%': 'Share', count: 'Number',
  };

  /** Three digits of a duration; without zeros at the end where nothing is compared, as on an axis. */
  function figure(number, unit, exact = true) {
    if (number === null || number === undefined) return '–';
    if (number === 0) return '0';
    const [factor, name] = SCALES[unit].find(([size]) => Math.abs(number) >= size * 0.9995) ?? SCALES[unit].at(-1);
    const value = number / factor, digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    const words = value.toLocaleString('en-US', {
      minimumFractionDigits: exact && unit === 'ns' ? digits : 0, maximumFractionDigits: exact ? digits : 2, useGrouping: unit !== 'ns',
    });
    return `${words}\u00a0${name}`.trim();
  }
  const bytes = (number) => figure(number, 'bytes', false);
  const times = (ratio) => (ratio >= 9.95 ? Math.round(ratio).toLocaleString('en-US') : ratio.toFixed(1)) + '\u00d7';
  const ratioTo = (unit, of, best) => (MORE_IS_BETTER.includes(unit) ? best / of : of / best);
  const plural = (count, one) => `${count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`;
  const capital = (words) => words[0].toUpperCase() + words.slice(1);
  const unique = (list) => [...new Set(list)];
  const known = (list) => unique(list).filter((each) => each !== null && each !== undefined);
  /** Of a setting: "4", "0.5x the memory", "10,000/s". */
  const numberOf = (word) => Number.parseFloat(String(word).replaceAll(',', ''));
  const bySize = (list) => known(list).sort((a, b) => numberOf(a) - numberOf(b));
  const areNumbers = (words) => words.every((word) => /^\d/.test(word)) && unique(words.map((word) => word.replace(/^[\d.,]+/, ''))).length === 1;

  /* ---------- elements ---------- */

  function el(name, properties = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
      else if (key in element) element[key] = value;
      else element.setAttribute(key, value);
    }
    element.append(...children.filter(Boolean));
    return element;
  }

  function download(name, type, content) {
    const address = URL.createObjectURL(new Blob([content], { type }));
    el('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  function csv(list) {
    const names = unique(list.flatMap((row) => Object.keys(row.settings))).sort();
    const fields = ['table', 'store', 'connection', 'value', 'bytes', 'operation', 'unit', 'median', 'low', 'high', 'failures', 'problem'];
    const lines = list.map((row) => [
      ...fields.map((field) => row[field]), row.samples.join(' '), row.published?.figure, row.published?.study, row.notes.join('; '),
      ...names.map((name) => row.settings[name]),
    ]);
    const cell = (content) => (/[",\r\n]/.test(content) ? `"${content.replaceAll('"', '""')}"` : content);
    return [[...fields, 'samples', 'published', 'study', 'notes', ...names.map((name) => `settings.${name}`)], ...lines]
      .map((line) => line.map((content) => cell(String(content ?? ''))).join(',') + '\r\n').join('');
  }

  /* ---------- stores: one color and symbol each; those in most tables get the most different ones, then the alphabet decides ---------- */

  const tablesOf = d3.rollup(rows, (group) => unique(group.map((row) => row.table)).length, (row) => row.store);
  const styled = [...tablesOf.keys()].sort().sort((a, b) => tablesOf.get(b) - tablesOf.get(a));
  // Apart from each other for color-blind people too, and from the page by 3:1: Larder\Cli\Tests\Report\Html\ColorsTest.
  const COLORS = {
    light: ['#004a89', '#d77808', '#009750', '#e13d90', '#2c90d8', '#965a10', '#2c273c'],
    dark: ['#356cbe', '#db8843', '#1d8c5f', '#d186be', '#5ce2ff', '#ffd858', '#e7e7e2'],
  };
  const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye'];
  const DASHES = { tcp: '7 3', disk: '7 3', network: '2 3' };
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const palette = () => (scheme.matches
    ? { series: COLORS.dark, now: '#4aa3df', then: '#e6ac2e', text: '#e7ebef', muted: '#9dabb8', line: '#303a45', page: '#171d24' }
    : { series: COLORS.light, now: '#0072b2', then: '#b27800', text: '#1a2027', muted: '#57626e', line: '#d8dde3', page: '#ffffff' });
  function styleOf(row) {
    const index = styled.indexOf(row.store);
    return {
      color: palette().series[index % 7],
      symbol: SYMBOLS[(index + Math.floor(index / 7)) % 7],
      dash: DASHES[(row.connection ?? '').split(',')[0]] ?? null,
    };
  }

  function symbolIcon(row) {
    const { color, symbol, dash } = styleOf(row);
    const svg = d3.create('svg').attr('width', 26).attr('height', 14).attr('viewBox', '-13 -7 26 14').attr('aria-hidden', 'true');
    svg.append('line').attr('x1', -13).attr('x2', 13).attr('stroke', color).attr('stroke-width', 2).attr('stroke-dasharray', dash);
    svg.append('path').attr('d', d3.symbol(d3[`symbol${capital(symbol)}`], 60)()).attr('fill', color);
    return svg.node();
  }

  /* ---------- what is shown: the form of the page, kept in the fragment of the address ---------- */

  const filters = document.querySelector('#filters details'), form = filters.querySelector('form');
  const boxes = (name) => [...form.querySelectorAll(`[name="${name}"]`)];
  const selects = [...form.querySelectorAll('select')];
  const valueOf = (name) => form.elements[name]?.value ?? '';
  let shown = {}, settings = {}; // by panel

  function readFragment() {
    const parameters = new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '');
    for (const name of ['stores', 'connections']) {
      const list = parameters.get(name)?.split(',');
      for (const box of boxes(name)) box.checked = !list || list.includes(box.value);
    }
    for (const field of selects) {
      field.value = parameters.get(field.name) ?? '';
      if (field.selectedIndex < 0) field.selectedIndex = 0;
    }
    settings = {};
    for (const [name, value] of parameters) {
      const [panel] = name.split('.', 1);
      if (panel !== name) (settings[panel] ??= {})[name.slice(panel.length + 1)] = value;
    }
    readForm();
  }

  function readForm() {
    const counts = [];
    for (const name of ['stores', 'connections']) {
      shown[name] = new Set(boxes(name).filter((box) => box.checked).map((box) => box.value));
      counts.push(`${shown[name].size} of ${boxes(name).length} ${name}`);
    }
    Object.assign(shown, { from: Number(valueOf('from')), to: Number(valueOf('to')) || Infinity, scale: valueOf('scale') || 'log' });
    const range = shown.from || shown.to < Infinity ? `${shown.from ? bytes(shown.from) : 'up'} to ${shown.to < Infinity ? bytes(shown.to) : 'the largest'}` : 'all sizes';
    document.getElementById('shown').textContent = [...counts, range, shown.scale === 'log' ? 'logarithmic scale' : 'linear scale'].join(' · ');
  }

  function writeFragment() {
    const parts = [];
    const add = (name, value) => parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll('%2C', ',')}`);
    for (const name of ['stores', 'connections']) if (shown[name].size < boxes(name).length) add(name, [...shown[name]].sort().join(','));
    for (const field of selects) if (field.value) add(field.name, field.value);
    for (const [panel, chosen] of Object.entries(settings)) for (const [name, value] of Object.entries(chosen)) add(`${panel}.${name}`, value);
    history.replaceState(null, '', parts.length ? '#' + parts.join('&') : location.pathname + location.search);
  }

  const isShown = (row) => shown.stores.has(row.store) && shown.connections.has(row.connection ?? 'memory')
    && (row.bytes === null || (row.bytes >= shown.from && row.bytes <= shown.to));

  function change() {
    readForm();
    writeFragment();
    redraw();
  }
  form.addEventListener('change', change);
  form.addEventListener('reset', () => setTimeout(() => { settings = {}; change(); }));
  form.addEventListener('click', ({ target }) => {
    const name = target.dataset.all ?? target.dataset.none;
    if (!name) return;
    for (const box of boxes(name)) box.checked = target.dataset.all !== undefined;
    change();
  });
  filters.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    filters.open = false;
    filters.querySelector('summary').focus();
  });
  document.addEventListener('click', ({ target }) => { if (!filters.contains(target)) filters.open = false; });

  /* ---------- charts ---------- */

  const width = (element) => Math.max(280, Math.floor(element.clientWidth || 600));
  const measure = document.createElement('canvas').getContext('2d');
  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
  function textWidth(words, size = 13, weight = 400) {
    measure.font = `${weight} ${size}px ${FONT}`;
    return measure.measureText(words).width;
  }
  const widest = (list, size, weight) => d3.max(list, (words) => textWidth(words, size, weight)) ?? 0;
  function clipped(words, room, size = 13) {
    if (textWidth(words, size) <= room) return words;
    while (words && textWidth(words + '…', size) > room) words = words.slice(0, -1);
    return words.trimEnd() + '…';
  }

  /** The axis of figures: from 1, 2 or 5 times a power of ten on a logarithmic scale, from zero on a linear one. */
  const STEPS = d3.range(-3, 16).flatMap((power) => [1, 2, 5].map((factor) => Number(`${factor}e${power}`)));
  function axis(figures, unit, wide) {
    const format = (number) => figure(number, unit, false), least = d3.min(figures), most = d3.max(figures);
    if (shown.scale === 'linear' || unit === '%' || !(least > 0)) {
      return { type: 'linear', domain: [0, unit === '%' ? 100 : most || 1], ticks: wide ? 6 : 3, format };
    }
    const domain = [STEPS.findLast((step) => step <= least * 0.85), STEPS.find((step) => step >= most * 1.02)];
    const steps = STEPS.filter((step) => step >= domain[0] && step <= domain[1]);
    const tens = steps.filter((step) => STEPS.indexOf(step) % 3 === 0);
    return { type: 'log', domain, ticks: tens.length < 3 ? steps : tens.filter((_, index) => wide || tens.length <= 4 || index % 2 === 0), format };
  }
  const ends = ({ ticks, domain, format }) => (Array.isArray(ticks) ? ticks : domain).map(format);

  function plot(element, options, marks) {
    return Plot.plot({
      width: width(element), style: { background: 'transparent', color: palette().text, fontFamily: FONT, fontSize: '12px' },
      ...options, marks: marks.filter(Boolean),
    });
  }

  /** One line a store: the figure of today with its interval, and the published one. */
  function drawRanking(panel, element, list) {
    const colors = palette(), total = width(element), wide = total >= 600, unit = panel.unit, worse = MORE_IS_BETTER.includes(unit) ? 1 : -1;
    const isRanked = unique(list.map((row) => row.task)).length === 1;
    const items = list.filter((row) => row.median !== null || row.published).map((row) => {
      const now = row.median, then = row.published?.figure ?? null, label = panel.label(row);
      const gain = now > 0 && then > 0 ? ratioTo(unit, then, now) : null;
      return {
        now, then, low: row.low, high: row.high, color: row.historic ? colors.muted : colors.text,
        ranked: isRanked && row.rank !== null,
        name: (isRanked && row.rank ? `${row.rank}. ` : '') + label + (row.historic ? ' (historic)' : ''),
        words: now === null ? '' : figure(now, unit),
        before: then === null ? '' : figure(then, unit) + (gain === null ? '' : gain >= 1 ? `, ${times(gain)} better` : `, ${times(1 / gain)} worse`),
        about: [
          label, now === null ? null : `now ${figure(now, unit)}`,
          row.low === null ? null : `95 % interval ${figure(row.low, unit)} to ${figure(row.high, unit)}`,
          then === null ? null : `published ${figure(then, unit)} for ${row.published.engine} (${row.published.study})`,
        ].filter(Boolean).join(', '),
      };
    }).sort((a, b) => worse * ((b.now ?? b.then) - (a.now ?? a.then))).map((item, y) => ({ ...item, y }));
    if (!items.length) return null;
    const measured = items.filter((item) => item.now !== null), published = items.filter((item) => item.then !== null);
    const withInterval = measured.filter((item) => item.low !== null);
    const x = axis(known(items.flatMap((item) => [item.now, item.then, item.low, item.high])), unit, wide), isLog = x.type === 'log';
    // wide: the name on the left, figures on the right; narrow: both above the line, and half a tick's words on each side
    const band = wide ? 28 : 46, top = wide ? 0 : 22, dy = top / 2, overhang = Math.max(14, widest(ends(x), 12) / 2 + 3);
    const [now, then] = ['words', 'before'].map((name) => widest(items.map((item) => item[name]), 12, 600) + 16);
    const room = wide ? Math.min(total * 0.4, widest(items.map((item) => item.name)) + 14) : overhang;
    const studies = known(list.map((row) => row.published?.study)).join(', ');
    const above = (dx, anchor) => ({ y: 'y', textAnchor: anchor, dx, dy: wide ? 0 : 13 - band / 2, fontSize: 12 });
    const key = (index, words, options) => [
      Plot.dot([0], { frameAnchor: 'top-left', dx: 6 + index * 130, dy: -14, r: 5, ...options }),
      Plot.text([words], { frameAnchor: 'top-left', dx: 18 + index * 130, dy: -18, fill: colors.muted }),
    ];
    const diamond = { symbol: 'diamond', r: 6, fill: colors.page, stroke: colors.then, strokeWidth: 2 };
    const svg = plot(element, {
      marginLeft: room, marginRight: wide ? now + (published.length ? then : 0) : overhang, marginTop: published.length ? 26 : 4, marginBottom: 30,
      height: items.length * band + (published.length ? 56 : 34),
      x: { type: x.type, domain: x.domain, label: null }, y: { type: 'band', domain: d3.range(items.length), padding: 0, axis: null, label: null },
    }, [
      Plot.gridX({ ticks: x.ticks, stroke: colors.line, strokeOpacity: 1 }),
      Plot.axisX({ ticks: x.ticks, text: x.format, tickSize: 0, label: null, fontSize: 12, fill: colors.muted }),
      published.length && key(0, 'measured now', { fill: colors.now }), published.length && key(1, `published (${studies})`, diamond),
      Plot.text(items, {
        ...above(wide ? -10 : 4 - overhang, wide ? 'end' : 'start'), x: x.domain[0], fontSize: 13, fill: 'color', title: 'name',
        text: (item) => clipped(item.name, wide ? room - 14 : total - textWidth(item.words || item.before, 12, 600) - 32),
      }),
      Plot.text(items, { ...above(wide ? now - 4 : overhang - 4, 'end'), frameAnchor: 'right', text: (item) => item.words || (wide ? '' : item.before), fontWeight: 600, fontVariant: 'tabular-nums', fill: 'color' }),
      wide && Plot.text(published, { ...above(now + then - 4, 'end'), frameAnchor: 'right', text: 'before', fontVariant: 'tabular-nums', fill: colors.muted }),
      isLog
        ? Plot.ruleY(items, { x1: x.domain[0], x2: (item) => d3.min([item.now, item.then]), y: 'y', dy, stroke: colors.line })
        : Plot.barX(measured, { x1: 0, x2: 'now', y: 'y', fill: colors.now, insetTop: top + 5, insetBottom: 5, ariaLabel: 'about', className: 'now' }),
      Plot.ruleY(published.filter((item) => item.now !== null), { x1: 'now', x2: 'then', y: 'y', dy, stroke: colors.then, strokeWidth: 3, strokeOpacity: 0.35 }),
      Plot.dot(published, { x: 'then', y: 'y', dy, ...diamond, ariaLabel: 'about', className: 'then' }),
      Plot.ruleY(withInterval, { x1: 'low', x2: 'high', y: 'y', dy, stroke: isLog ? colors.now : colors.text, strokeWidth: 2, ariaLabel: 'about', className: 'interval' }),
      ...['low', 'high'].map((end) => Plot.tickX(withInterval, { x: end, y: 'y', insetTop: top + 9, insetBottom: 9, stroke: isLog ? colors.now : colors.text, strokeWidth: 2 })),
      isLog && Plot.dot(measured, { x: 'now', y: 'y', dy, r: 5, fill: colors.now, stroke: colors.page, ariaLabel: 'about', className: 'now' }),
    ].flat());
    return {
      svg, groups: items.map((item) => [svg.querySelector(`[aria-label="${CSS.escape(item.about)}"]`)]),
      caption: [
        `${UNITS[unit]}${isLog ? ', logarithmic scale' : ''}. Further ${worse === 1 ? 'right' : 'left'} is better.`,
        withInterval.length ? ' Lines with ends: 95 % interval of the median.' : '',
        items.some((item) => item.ranked) ? ' Rows with the same rank show no difference in this run.' : '',
      ].join(''),
      summary: `${plural(items.length, 'row')}; ${items[0].name} is first with ${items[0].words || items[0].before}, ${items.at(-1).name} last with ${items.at(-1).words || items.at(-1).before}.`,
    };
  }

  /** A line a store over a number: value size, processes, percentile. */
  function drawLines(element, lines, { x, xLabel, unit, name }) {
    const colors = palette(), wide = width(element) >= 600;
    lines = lines.filter((line) => line.points.length).map((line, index) => ({ ...line, index, points: line.points.map((point) => ({ ...point, index, label: line.label })) }));
    if (!lines.length) return null;
    const points = lines.flatMap((line) => line.points);
    const y = axis(known(points.flatMap((point) => [point.figure, point.low, point.high])), unit, true);
    const height = wide ? Math.max(380, Math.min(620, lines.length * 15 + 80)) : 340;
    const about = (point) => `${point.label}, ${point.at}: ${figure(point.figure, unit)}`;
    const svg = plot(element, {
      marginLeft: widest(ends(y), 12) + 16, marginRight: wide ? Math.min(width(element) * 0.3, widest(lines.map((line) => line.label), 12) + 22) : 14,
      marginTop: 12, marginBottom: 44, height,
      x: { ...x, insetLeft: 8, insetRight: 8 }, y: { type: y.type, domain: y.domain },
    }, [
      Plot.gridY({ ticks: y.ticks, stroke: colors.line, strokeOpacity: 1 }),
      Plot.axisY({ ticks: y.ticks, text: y.format, tickSize: 0, label: null, fontSize: 12, fill: colors.muted }),
      Plot.axisX({ ticks: x.ticks, text: x.format, tickSize: 4, label: xLabel, labelAnchor: 'center', labelArrow: 'none', fontSize: 12, fill: colors.muted, lineWidth: 8 }),
      ...lines.flatMap(({ row, index, points: own }) => {
        const { color, symbol, dash } = styleOf(row), className = `series s${index}`;
        const withInterval = own.filter((point) => known([point.low]).length);
        return [
          Plot.line(own, { x: 'x', y: 'figure', stroke: color, strokeWidth: 1.8, strokeDasharray: dash ?? undefined, className }),
          withInterval.length && Plot.ruleX(withInterval, { x: 'x', y1: 'low', y2: 'high', stroke: color, strokeWidth: 1.4, className: `${className} interval` }),
          Plot.dot(own.filter((point) => point.marked !== false), { x: 'x', y: 'figure', symbol, r: 4, fill: color, stroke: colors.page, strokeWidth: 0.75, ariaLabel: about, className: `${className} point` }),
        ];
      }),
      Plot.tip(points, Plot.pointer({
        x: 'x', y: 'figure', fill: colors.page, stroke: colors.line, fontSize: 12, textPadding: 8,
        title: (point) => about(point) + (known([point.low]).length ? `\n95 %: ${figure(point.low, unit)} to ${figure(point.high, unit)}` : ''),
      })),
    ]);
    svg.addEventListener('input', () => light(svg, svg.value?.index ?? null));
    if (wide) labelLines(svg, lines, height - 50);
    return {
      svg, lines, summary: `${plural(lines.length, 'line')}.`,
      groups: lines.map((line) => [...svg.querySelectorAll(`.s${line.index}.point > *`)]).filter((marks) => marks.length),
      caption: `${name}. ${UNITS[unit]}${y.type === 'log' ? ', logarithmic scale' : ''}; ${MORE_IS_BETTER.includes(unit) ? 'more' : 'less'} is better.${points.some((point) => point.low) ? ' Vertical lines: 95 % interval of the median.' : ''}`,
    };
  }

  /** The names of the lines at their ends, moved apart where they would overlap. */
  function labelLines(svg, lines, lowest) {
    const [x, y] = ['x', 'y'].map((name) => svg.scale(name).apply);
    const labels = lines.map((line) => ({ line, x: x(line.points.at(-1).x), at: y(line.points.at(-1).figure) })).sort((a, b) => a.at - b.at);
    const room = Math.min(14, (lowest - 12) / Math.max(1, labels.length - 1)), edge = d3.max(labels, (label) => label.x);
    labels.forEach((label, index) => { label.y = Math.max(label.at, index ? labels[index - 1].y + room : 12); });
    labels.forEach((label, index) => { label.y = Math.min(label.y, lowest - room * (labels.length - 1 - index)); });
    const group = d3.select(svg).append('g').attr('class', 'labels').attr('font-size', 12);
    for (const label of labels) {
      const one = group.append('g').attr('class', `series s${label.line.index}`);
      one.append('path').attr('d', `M${label.x + 5},${label.at}L${edge + 8},${label.at}L${edge + 16},${label.y}`)
        .attr('fill', 'none').attr('stroke', styleOf(label.line.row).color).attr('stroke-width', 0.8).attr('stroke-dasharray', '1 3');
      one.append('text').attr('x', edge + 19).attr('y', label.y).attr('dy', '0.34em').attr('fill', palette().text).attr('text-anchor', 'start').text(clipped(label.line.label, 210, 12))
        .on('pointerenter', () => light(svg, label.line.index)).on('pointerleave', () => light(svg, null));
    }
  }

  function light(svg, index) {
    svg.classList.toggle('dim', index !== null);
    for (const element of svg.querySelectorAll('.series')) element.classList.toggle('lit', index !== null && element.matches(`.s${index}`));
  }

  /** Arrow keys step through the marks of a chart: left and right to the next one, up and down to the next line or row. The mark is framed, its label shown and said. */
  function stepThrough(chart, { svg, groups, lines }, label) {
    const marks = groups.flat(), said = el('p', { className: 'mark', role: 'status', 'aria-live': 'polite' });
    const frame = d3.select(svg).append('rect').attr('class', 'frame').attr('fill', 'none').attr('stroke', palette().text).attr('stroke-width', 2).attr('rx', 4).attr('display', 'none');
    const place = (mark) => {
      const outer = svg.getBoundingClientRect(), inner = mark.getBoundingClientRect(), scale = Number(svg.getAttribute('width')) / outer.width;
      return { x: (inner.left - outer.left) * scale - 4, y: (inner.top - outer.top) * scale - 4, width: inner.width * scale + 8, height: inner.height * scale + 8 };
    };
    let at = null;
    const step = (mark) => {
      at = mark;
      said.textContent = at?.getAttribute('aria-label') ?? '';
      frame.attr('display', at ? null : 'none');
      for (const [name, value] of Object.entries(at ? place(at) : {})) frame.attr(name, value);
      if (lines) light(svg, at ? lines.findIndex((line) => at.closest(`.s${line.index}`)) : null);
    };
    const beside = (by) => marks[at ? Math.min(marks.length - 1, Math.max(0, marks.indexOf(at) + by)) : 0];
    const across = (by) => {
      const group = at ? groups[groups.findIndex((each) => each.includes(at)) + by] : groups[0], x = at ? place(at).x : 0;
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
    chart.after(said);
  }

  /** A chart as a file of its own: with its title, its caption and where it comes from. */
  function exported({ svg, caption }, title) {
    const copy = svg.cloneNode(true), colors = palette(), selection = d3.select(copy);
    const [total, height] = ['width', 'height'].map((name) => Number(svg.getAttribute(name)));
    copy.querySelector('.frame').remove();
    copy.classList.remove('dim');
    selection.attr('xmlns', 'http://www.w3.org/2000/svg').attr('viewBox', `-16 -60 ${total + 32} ${height + 90}`).attr('width', total + 32).attr('height', height + 90)
      .insert('rect', ':first-child').attr('x', -16).attr('y', -60).attr('width', total + 32).attr('height', height + 90).attr('fill', colors.page);
    const source = document.getElementById('citation').textContent.replace(/(sha256:.{16}).*/, '$1');
    for (const [y, size, fill, words] of [[-32, 17, colors.text, title], [-12, 12, colors.muted, caption], [height + 18, 11, colors.muted, source]]) {
      selection.append('text').attr('y', y).attr('font-size', size).attr('fill', fill).text(words);
    }
    return new XMLSerializer().serializeToString(copy);
  }

  const NAMED = [50, 90, 99, 99.9, 99.99];
  const NINES = (percent) => -Math.log10(1 - percent / 100);

  /* ---------- a panel: one table of the report ---------- */

  class Panel {
    constructor(element) {
      this.element = element;
      this.id = element.id.slice('panel-'.length);
      this.title = element.querySelector('h3').textContent;
      this.rows = rows.filter((row) => row.table === element.dataset.table);
      this.hasUnits = unique(this.rows.map((row) => row.unit)).length > 1;
      this.operations = unique(this.rows.map((row) => this.operationOf(row)));
      const names = unique(this.rows.flatMap((row) => Object.keys(row.settings)));
      const varying = names.filter((name) => unique(this.rows.map((row) => row.settings[name] ?? '')).length > 1);
      this.axes = varying.filter((name) => this.settings(this.rows, name).length > 1 && areNumbers(this.settings(this.rows, name)));
      this.names = varying.filter((name) => !this.axes.includes(name));
      this.fixed = names.filter((name) => !varying.includes(name)).map((name) => `${name}: ${this.rows[0].settings[name]}`).join(', ');
    }

    operationOf(row) {
      return row.operation + (this.hasUnits ? `, ${UNITS[row.unit].toLowerCase()}` : '');
    }

    settings(list, name) {
      return known(list.map((row) => row.settings[name]));
    }

    label(row) {
      const words = this.names.filter((name) => this.only?.[name] === undefined && row.settings[name])
        .map((name) => (/^(on|off|yes|no|\d.*)$/.test(row.settings[name]) ? `${name} ${row.settings[name]}` : row.settings[name]));
      return [row.store, row.connection, ...words].filter(Boolean).join(', ');
    }

    key(row) {
      return JSON.stringify([row.store, row.connection, ...this.names.map((name) => row.settings[name] ?? null)]);
    }

    /** What is chosen, from the fragment or by default. */
    choose() {
      const chosen = settings[this.id] ?? {};
      const pick = (name, list, usual = list[0]) => (list.includes(chosen[name]) ? chosen[name] : usual);
      this.operation = pick('operation', this.operations);
      const all = this.rows.filter((row) => this.operationOf(row) === this.operation);
      const measured = all.filter((row) => row.median !== null), published = all.filter((row) => row.published);
      this.unit = all[0].unit;
      const size = new Map(all.map((row) => [row.value, row.bytes ?? 1e9]));
      this.values = unique(all.map((row) => row.value)).sort((a, b) => size.get(a) - size.get(b));
      const possible = this.values.filter((value) => all.some((row) => row.value === value && isShown(row)));
      // the value of most published figures, and then the one nearest to 1 kB
      this.value = pick('value', possible, d3.greatest(possible, (value) => published.filter((row) => row.value === value).length * 1e6 - Math.abs(Math.log(size.get(value) / 1000))) ?? this.values[0]);
      const over = (isMany) => this.axes.filter((name) => isMany(this.settings(measured, name).length)).map((name) => [`over ${name}`, `By ${name}`]);
      const isThen = published.length > 0 && measured.length > 0;
      this.views = [
        isThen && ['ranking', 'Then and now'],
        measured.some((row) => row.percentiles) && ['percentiles', 'Percentiles'],
        ...over((count) => count > 2),
        known(measured.map((row) => row.bytes)).length > 2 && ['sizes', 'By size'],
        !isThen && ['ranking', 'Ranking'],
        ...over((count) => count === 2),
        ['table', 'Table'],
      ].filter(Boolean);
      this.view = pick('view', this.views.map(([view]) => view));
      this.at = {};
      for (const name of this.axes) {
        const values = bySize(this.settings(all, name));
        this.at[name] = { values, value: pick(name, values, d3.greatest(values, (value) => published.filter((row) => row.settings[name] === value).length)) };
      }
      // too many lines to tell apart: those settings with most of them have one value, if nobody has chosen
      this.choices = new Map(this.names.map((name) => [name, this.settings(measured, name).sort()]).filter(([, values]) => values.length > 1));
      this.only = {};
      for (const [name, values] of this.choices) if (values.includes(chosen[name])) this.only[name] = chosen[name];
      const most = { table: Infinity, ranking: 20 }[this.view] ?? 10;
      const lines = () => new Set(all.filter((row) => this.isChosen(row) && row.value === this.value).map((row) => this.key(row))).size;
      for (const [name, values] of [...this.choices].sort(([, a], [, b]) => b.length - a.length)) {
        if (chosen[name] === undefined && lines() > most) this.only[name] = d3.greatest(values, (value) => measured.filter((row) => row.settings[name] === value).length);
      }
      return all.filter((row) => isShown(row) && this.isChosen(row));
    }

    isChosen(row) {
      return Object.entries(this.only).every(([name, value]) => [undefined, value].includes(row.settings[name]));
    }

    set(name, value) {
      (settings[this.id] ??= {})[name] = value;
      writeFragment();
      this.draw();
      this.element.querySelector(`[data-control="${CSS.escape(name)}"] [data-value="${CSS.escape(value)}"], select[data-control="${CSS.escape(name)}"]`)?.focus();
    }

    draw() {
      if (!this.drawn) return;
      const list = this.choose();
      const isTable = this.view === 'table', isLatency = this.views.some(([view]) => view === 'percentiles');
      const over = this.view.startsWith('over ') ? this.view.slice(5) : isTable && !isLatency && this.values.length < 2 ? this.axes[0] : undefined;
      const fixed = this.axes.filter((name) => name !== over);
      const needsValue = this.view !== 'sizes' && (!isTable || isLatency) && this.values.length > 1;
      const here = list.filter((row) => fixed.every((name) => [undefined, this.at[name].value].includes(row.settings[name])) && (!needsValue || row.value === this.value));
      const controls = [
        this.operations.length > 1 && ['operation', this.operations, this.operation],
        needsValue && ['value', this.values, this.value, (value) => this.valueName(value)],
        ...[...this.choices].map(([name, values]) => [name, ['all', ...values], this.only[name] ?? 'all']),
        ...fixed.map((name) => [name, this.at[name].values, this.at[name].value]),
      ].filter(Boolean).map(([name, values, value, words = String]) => el('label', { className: 'select' }, capital(name),
        el('select', { 'data-control': name, onchange: (event) => this.set(name, event.target.value) }, ...values.map((each) => el('option', { value: each ?? '', selected: each === value }, words(each))))));
      const views = this.views.map(([view, name]) => el('button', { type: 'button', 'aria-pressed': String(view === this.view), 'data-value': view, onclick: () => this.set('view', view) }, name));
      const chart = el('div', { className: 'chart' }), body = el('figure', {}, chart);
      this.element.replaceChildren(...[
        el('header', {}, el('h3', { id: `${this.id}-title` }, this.title), el('div', { className: 'segmented', role: 'group', 'aria-label': 'View', 'data-control': 'view' }, ...views)),
        controls.length > 0 && el('div', { className: 'controls' }, ...controls), body,
      ].filter(Boolean));
      const drawing = isTable || !here.length ? null : this.drawing(chart, here, over);
      if (drawing) this.show(body, chart, drawing);
      else if (isTable && here.length) chart.replaceWith(this.tableOf(here, over, isLatency));
      else chart.append(el('p', { className: 'empty' }, here.length ? 'No figure: every store failed here. The reasons are listed below.' : 'None of the chosen stores and sizes was measured here.'));
      const tool = (kind, type, content) => el('button', { type: 'button', className: 'link', 'data-download': kind, onclick: () => download(`larder-${this.id}.${kind}`, type, content()) }, `Download ${kind.toUpperCase()}`);
      this.element.append(el('div', { className: 'tools' }, drawing && tool('svg', 'image/svg+xml', () => exported(drawing, this.title)), tool('csv', 'text/csv', () => csv(this.rows))), ...this.notes(here));
    }

    valueName(value) {
      const size = this.rows.find((row) => row.value === value)?.bytes;
      return value === null ? 'no value' : size && !/\d\s?(b|kb?|mb?)\b/i.test(value) ? `${value} (${bytes(size)})` : value;
    }

    /** A line for each store and its settings. */
    lines(list, x, at) {
      return [...d3.group(list, (row) => this.key(row)).values()].map((group) => ({
        row: group[0], label: this.label(group[0]),
        points: group.filter((row) => row.median !== null && known([x(row)]).length).map((row) => ({ x: x(row), at: at(row), figure: row.median, low: row.low, high: row.high })).sort((a, b) => a.x - b.x),
      }));
    }

    drawing(chart, here, over) {
      const { unit } = this;
      if (this.view === 'ranking') return drawRanking(this, chart, here);
      if (this.view === 'sizes') {
        // values of other kinds, such as arrays among strings, would make steps that have nothing to do with size
        const kind = (row) => (row.value ?? '').replace(/[\d.,]+\s*([kmg]?b|k|m|bytes)\b/gi, '').trim();
        const sized = here.filter((row) => row.bytes > 0);
        const [most] = d3.greatest(d3.rollup(sized, (group) => unique(group.map((row) => row.bytes)).length, kind), ([, count]) => count) ?? [];
        const others = unique(here.filter((row) => kind(row) !== most).map((row) => row.value)), kept = sized.filter((row) => kind(row) === most);
        const span = d3.extent(kept, (row) => row.bytes), room = width(chart) - (width(chart) < 600 ? 100 : 260), ticks = [];
        for (const size of bySize(kept.map((row) => row.bytes))) {
          if (!ticks.length || Math.log(size / ticks.at(-1)) / Math.log(span[1] / span[0]) * room > 46) ticks.push(size);
        }
        return drawLines(chart, this.lines(kept, (row) => row.bytes, (row) => row.value), {
          x: { type: 'log', format: bytes, ticks }, xLabel: 'Size of the value', unit, name: `By the size of the value${others.length ? ` (without ${others.join(', ')})` : ''}`,
        });
      }
      if (this.view === 'percentiles') {
        const list = here.filter((row) => row.percentiles).map((row) => ({
          row, label: this.label(row),
          points: row.percentiles.slice(0, -1).map(([percent, time]) => ({ x: NINES(percent), figure: Math.max(1, time), at: `p${percent}`, marked: NAMED.includes(percent) })),
        }));
        const most = d3.max(list.flatMap((line) => line.points), (point) => point.x), ticks = [...NAMED, 99.999].map(NINES).filter((each) => each <= most + 1e-6);
        return drawLines(chart, list, {
          x: { type: 'linear', ticks, format: (each) => 'p' + Number((100 - 100 * 10 ** -each).toPrecision(6)) }, xLabel: 'Percentile', unit,
          name: 'Latency that so many percent of the operations did not exceed',
        });
      }
      const { values } = this.at[over], at = values.map(numberOf), [least, most] = d3.extent(at);
      return drawLines(chart, this.lines(here, (row) => (row.settings[over] === undefined ? null : numberOf(row.settings[over])), (row) => `${over} ${row.settings[over]}`), {
        x: { type: least > 0 && most / least >= 8 ? 'log' : 'linear', ticks: at.length <= 12 ? at : undefined, format: (each) => values.find((value) => numberOf(value) === each) ?? String(each) },
        xLabel: capital(over), unit, name: `By ${over}`,
      });
    }

    show(body, chart, drawing) {
      const { svg, caption, groups, lines, summary } = drawing;
      svg.setAttribute('role', 'img');
      svg.setAttribute('aria-label', `${this.title}. ${caption} ${summary} The same figures are in the view Table.`);
      body.prepend(el('figcaption', { className: 'caption' }, caption + (this.fixed ? ` ${capital(this.fixed)}.` : '')));
      chart.append(svg);
      if (groups.length) stepThrough(chart, drawing, this.title);
      if (lines && width(chart) < 600) body.append(el('ul', { className: 'legend' }, ...lines.map((line) => el('li', {}, symbolIcon(line.row), line.label))));
    }

    notes(list) {
      const labels = (group) => (group.length > 4 ? plural(group.length, 'row') : group.join('; '));
      const byNote = d3.rollup(list.flatMap((row) => row.notes.map((note) => [note, this.label(row)])), (pairs) => unique(pairs.map(([, label]) => label)), ([note]) => note);
      const published = unique(list.filter((row) => row.published?.environment).map((row) => `${row.published.study}: ${row.published.environment}`));
      const historic = unique(list.filter((row) => row.historic).map((row) => this.label(row)));
      const gaps = [...list.filter((row) => row.median === null && !row.historic), ...header.not_measured.filter((row) => row.table === this.element.dataset.table)].length;
      const lines = [
        ...[...byNote].map(([note, of]) => `${labels(of)}: ${note}`),
        ...published.map((each) => `Published in ${each}.`),
        historic.length > 0 && `Historic, their engines no longer exist for today’s PHP: ${historic.join('; ')}.`,
        gaps > 0 && el('a', { href: '#missing' }, `${plural(gaps, 'row')} failed or not measured`),
      ].filter(Boolean);
      const notes = el('ul', {}, ...lines.map((line) => el('li', {}, line)));
      return lines.length ? [el('div', { className: 'notes' }, lines.length > 3 ? el('details', {}, el('summary', {}, `${lines.length} notes on these rows`), notes) : notes)] : [];
    }

    /** Rows by store; columns by value, or by the first axis where there is one value, or the percentiles. */
    tableOf(list, over, isLatency) {
      const columnOf = (row) => (over ? row.settings[over] : row.value);
      const columns = over ? this.at[over].values : this.values.filter((value) => list.some((row) => row.value === value));
      const lines = [...d3.group(list, (row) => this.key(row)).values()].map((group) => ({ first: group[0], historic: group.every((row) => row.historic), cells: columns.map((column) => group.find((row) => columnOf(row) === column)) }));
      const medians = (index) => lines.map(({ cells }) => cells[index]?.median).filter((median) => median > 0);
      const best = columns.map((_, index) => (MORE_IS_BETTER.includes(this.unit) ? d3.max : d3.min)(medians(index)));
      for (const line of lines) line.ratios = line.cells.map((row, index) => (row?.median > 0 ? ratioTo(this.unit, row.median, best[index]) : null));
      lines.sort((a, b) => d3.ascending(...[a, b].map(({ ratios }) => d3.mean(ratios.filter(Boolean), Math.log) ?? Infinity)));
      const extra = isLatency ? [50, 90, 99, 99.9, 100] : [];
      const latencies = (row) => extra.map((percent) => el('td', {}, figure(new Map(row?.percentiles).get(percent), 'ns')));
      const heads = [
        'Store', ...columns.map((column) => (over ? `${over} ${column}` : column === null ? UNITS[this.unit] : this.valueName(column))),
        ...extra.map((percent) => (percent === 100 ? 'maximum' : `p${percent}`)),
      ];
      return el('div', {},
        el('p', { className: 'caption' }, `${UNITS[this.unit]}: median${list.some((row) => row.low !== null) ? ' and 95 % interval' : ''}. The stronger the color, the nearer to the best of the column; the best is bold.`),
        el('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': `Table: ${this.title}` }, el('table', {},
          el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
          el('tbody', {}, ...lines.map(({ first, historic, cells, ratios }) => el('tr', {},
            el('th', { scope: 'row' }, this.label(first) + (historic ? ' (historic)' : '')), ...cells.map((row, index) => this.cell(row, ratios[index])), ...(isLatency ? latencies(cells[0]) : [])))))));
    }

    cell(row, ratio) {
      if (!row) return el('td', {}, '–');
      if (row.median === null && !row.historic) return el('td', { className: 'failed', title: row.problem }, 'failed');
      const cell = el('td', { className: ratio === 1 ? 'heat best' : 'heat', title: ratio === 1 ? 'the best of this column' : ratio ? `${times(ratio)} the best of this column` : '' },
        figure(row.median, this.unit),
        row.low !== null && el('small', {}, `${figure(row.low, this.unit)} – ${figure(row.high, this.unit)}`),
        row.published && el('small', {}, `${row.published.study}: ${figure(row.published.figure, row.unit)}`));
      if (ratio) cell.style.setProperty('--strength', Math.max(0, 0.55 * (1 - Math.log10(ratio) / 3)).toFixed(3));
      return cell;
    }
  }

  /* ---------- the page ---------- */

  const main = document.getElementById('content');
  const panels = new Map([...main.querySelectorAll('.panel')].map((element) => [element, new Panel(element)]));
  const draw = (panel) => {
    panel.drawn = true;
    panel.draw();
  };
  // those near the window alone: a report may have dozens
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting && !panels.get(target).drawn) draw(panels.get(target));
  }, { rootMargin: '900px' });
  const redraw = () => panels.forEach((panel) => panel.draw());
  const unfold = (element) => element?.querySelectorAll('.fold').forEach((fold) => { fold.open = true; });
  const unfoldNamed = () => {
    const named = location.hash.includes('=') ? null : document.getElementById(location.hash.slice(1));
    unfold(named);
    named?.scrollIntoView();
    for (const id of Object.keys(settings)) unfold(document.getElementById(`panel-${id}`)?.closest('section'));
  };
  const icons = () => {
    for (const box of boxes('stores')) {
      box.parentElement.querySelector('svg')?.remove();
      box.after(symbolIcon({ store: box.value, connection: null }));
    }
  };
  const name = `larder-compare-${String(header.environment.date ?? '').slice(0, 10)}`;
  document.getElementById('download-jsonl').onclick = () => download(`${name}.jsonl`, 'application/x-ndjson', text);
  document.getElementById('download-csv').onclick = () => download(`${name}.csv`, 'text/csv', csv(rows));

  icons();
  readFragment();
  unfoldNamed();
  // without an answer above, the first figures are what a reader came for
  if (!document.querySelector('.first')) unfold(main.querySelector('section:has(.panel)'));
  for (const element of panels.keys()) observer.observe(element);
  addEventListener('hashchange', () => {
    readFragment();
    unfoldNamed();
    redraw();
  });
  scheme.addEventListener('change', () => {
    icons();
    redraw();
  });
  let lastWidth = main.clientWidth;
  new ResizeObserver(() => {
    if (main.clientWidth !== lastWidth) requestAnimationFrame(redraw);
    lastWidth = main.clientWidth;
  }).observe(main);
  addEventListener('beforeprint', () => {
    unfold(main);
    panels.forEach(draw);
  });
  performance.mark('ready');
  document.documentElement.dataset.ready = 'true';
})();
