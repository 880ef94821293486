// What is wrong with the drawn page, in words: texts that are cut or huge, and panels empty or full against their data.
// The body of a function; `arguments` are not used. Canvases (lines and their axes) are not text and cannot be measured.
const HUGE = 100;
const faults = [];
const shown = (element) => element.getClientRects().length > 0;
const texts = (root) => {
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (text.data.trim() && shown(text.parentElement)) found.push(text);
  }
  return found;
};
const boxOf = (text) => {
  const range = document.createRange();
  range.selectNodeContents(text);
  return range.getBoundingClientRect();
};
// the part of a text that nothing around it hides
const cut = (text, root) => {
  const box = boxOf(text);
  for (let at = text.parentElement; at && at !== root.parentElement; at = at.parentElement) {
    if (getComputedStyle(at).overflow === 'visible' && at !== root) continue;
    const around = at.getBoundingClientRect();
    if (box.left < around.left - 1 || box.right > around.right + 1) return true;
    // a line may be lower than its letters' box, which has room above and below them
    const room = box.height / 4;
    if (box.top < around.top - room || box.bottom > around.bottom + room) return true;
  }
  return false;
};
for (const panel of document.querySelectorAll('[data-panel]')) {
  const title = panel.querySelector('h2')?.innerText.trim() ?? '';
  const say = (fault) => faults.push(`${title || `panel ${panel.dataset.panel}`}: ${fault}`);
  if (!title) say('its title is not to be seen');
  const broken = panel.querySelector('[data-broken]');
  if (broken) say(broken.innerText);
  const { series, values } = JSON.parse(panel.dataset.answer);
  const kind = panel.dataset.kind;
  const content = panel.querySelector('[data-content]');
  if (kind === 'heatmap' || broken || !content) continue;
  for (const text of texts(panel)) {
    const words = text.data.trim();
    if (cut(text, panel)) say(`"${words}" is cut`);
    const size = parseFloat(getComputedStyle(text.parentElement).fontSize);
    if (size > (kind === 'bargauge' ? HUGE / 4 : HUGE)) say(`"${words}" is ${Math.round(size)} px high`);
  }
  const drawn = texts(content).map((text) => text.data.trim()).join(' ');
  const none = panel.dataset.none;
  if (values && drawn === none) say(`it says "${none}" though there are ${values} values`);
  if (!values && drawn !== none) say(`it shows "${drawn}" though there is no value`);
  if (!values) continue;
  if (kind === 'timeseries') {
    if (!content.querySelector('canvas')) say('no lines are drawn');
    const named = content.querySelectorAll('button[class*="LegendLabel"], [class*="LegendLabel"]').length;
    if (named !== series) say(`${named} of ${series} series are named`);
  } else if (kind === 'bargauge') {
    const bars = content.querySelectorAll('[data-testid="data-testid Bar gauge value"]').length;
    if (bars !== series) say(`${bars} of ${series} bars are drawn`);
  }
}
return faults;
