// Draws one dashboard with Grafana's own components, on what Prometheus answers to its queries.
// The page gives window.DRAWING: the dashboard, its variables, and for each panel the queries as Grafana sends them.
import * as D from '@grafana/data';
import * as U from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { Component, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { firstValueFrom } from 'rxjs';

const { dashboard, variables, queries, prometheus, start, end, width } = window.DRAWING;
const theme = D.createTheme({ colors: { mode: 'light' } });
const ROW = 30;
const GAP = 8;
const TOP = 56;
// what Grafana's own panel of time series gives a field that names nothing else
const LINES = {
  drawStyle: 'line', lineInterpolation: 'linear', lineWidth: 1, lineStyle: { fill: 'solid' }, fillOpacity: 0,
  gradientMode: 'none', showPoints: 'auto', pointSize: 5, spanNulls: false, insertNulls: false, barAlignment: 0,
  barWidthFactor: 0.6, axisPlacement: 'auto', axisColorMode: 'text', axisBorderShow: false, axisLabel: '',
  axisCenteredZero: false, scaleDistribution: { type: 'linear' }, stacking: { mode: 'none', group: 'A' },
  thresholdsStyle: { mode: 'off' }, hideFrom: { tooltip: false, viz: false, legend: false },
};
const PROPERTIES = [
  'unit', 'min', 'max', 'decimals', 'noValue', 'thresholds', 'color', 'mappings', 'displayName', 'description', 'links',
];
const own = (id) => id.startsWith('custom.');
const registry = new D.FieldConfigOptionsRegistry(() =>
  [...PROPERTIES, ...['width', 'align', 'hidden', 'stacking', 'fillOpacity', 'lineWidth'].map((id) => `custom.${id}`)].map(
    (id) => ({
      id, name: id, path: own(id) ? id.slice(7) : id, isCustom: own(id),
      process: (value) => value, shouldApply: () => true, editor: () => null, override: () => null,
    }),
  ),
);
const fill = (text) => String(text ?? '').replace(/\$\{?(\w+)\}?/g, (whole, name) => variables[name] ?? whole);

async function ask({ expr, instant, step }) {
  const call = instant ? 'query' : 'query_range';
  const when = instant ? { time: end } : { start, end, step };
  const answer = await fetch(`${prometheus}/api/v1/${call}`, {
    method: 'POST',
    body: new URLSearchParams({ query: expr, ...when }),
  });
  const { status, data, error } = await answer.json();
  if (status !== 'success') throw new Error(error);
  const found = data.resultType === 'scalar' ? [{ metric: {}, value: data.result }] : data.result;
  return found.map((one) => ({
    labels: one.metric,
    points: (one.values ?? [one.value]).map(([at, value]) => [at * 1000, value === 'NaN' ? null : Number(value)]),
  }));
}

function tableFrame(refId, series) {
  const labels = [...new Set(series.flatMap((one) => Object.keys(one.labels)))];
  const column = (name, type, values) => ({ name, type, values, config: {} });
  return D.createDataFrame({
    refId,
    fields: [
      column('Time', 'time', series.map((one) => one.points[0][0])),
      ...labels.map((label) => column(label, 'string', series.map((one) => one.labels[label]))),
      column(`Value #${refId}`, 'number', series.map((one) => one.points[0][1])),
    ],
  });
}

function seriesFrames(target, step, series) {
  return series.map(({ labels, points }) => {
    const name = target.legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => labels[label] ?? '');
    return D.createDataFrame({
      refId: target.refId,
      name,
      fields: [
        { name: 'Time', type: 'time', values: points.map(([at]) => at), config: { interval: step * 1000 } },
        { name: 'Value', type: 'number', labels, values: points.map(([, value]) => value), config: { displayNameFromDS: name } },
      ],
    });
  });
}

async function framesOf(panel) {
  const asked = queries[panel.id];
  const answers = await Promise.all(asked.map(ask));
  let frames = panel.targets.flatMap((target, i) => {
    if (target.format !== 'table') return seriesFrames(target, asked[i].step, answers[i]);
    return answers[i].length ? [tableFrame(target.refId, answers[i])] : [];
  });
  if (panel.transformations) frames = await firstValueFrom(D.transformDataFrame(panel.transformations, frames));
  const fieldConfig = structuredClone(panel.fieldConfig);
  if (panel.type === 'timeseries') {
    const { custom = {} } = fieldConfig.defaults;
    delete fieldConfig.defaults.custom;
    for (const field of frames.flatMap((frame) => frame.fields)) {
      field.config.custom = { ...LINES, ...custom, stacking: { ...LINES.stacking, ...custom.stacking } };
    }
  }
  const data = D.applyFieldOverrides({
    data: frames, fieldConfig, replaceVariables: fill, theme, timeZone: 'utc', fieldConfigRegistry: registry,
  });
  D.cacheFieldDisplayNames(data);
  const values = answers.flat().flatMap((one) => one.points.filter(([, value]) => value !== null));
  return { data, fieldConfig, series: answers.flat().length, values: values.length };
}

function Values({ panel, answer, size, one }) {
  const read = () => D.getFieldDisplayValues({
    data: answer.data, fieldConfig: answer.fieldConfig, reduceOptions: panel.options.reduceOptions,
    replaceVariables: fill, theme, timeZone: 'utc',
  });
  const { orientation, minVizHeight = 16, minVizWidth = 8, maxVizHeight = 300 } = panel.options;
  return (
    <U.VizRepeater
      {...size} {...{ orientation, minVizHeight, minVizWidth, maxVizHeight }}
      getValues={read} source={answer} renderCounter={0} itemSpacing={10} autoGrid={panel.type === 'stat'}
      getAlignmentFactors={(values) => D.getDisplayValueAlignmentFactors(values)} renderValue={one}
    />
  );
}

const stat = ({ options }) => ({ value, width, height, count, alignmentFactors }) => (
  <U.BigValue
    {...{ width, height, count, theme, alignmentFactors }} value={value.display} text={options.text}
    textMode={options.textMode === 'auto' && count === 1 ? 'value' : options.textMode}
    colorMode={options.colorMode} graphMode={options.graphMode} justifyMode={options.justifyMode}
    wideLayout={options.wideLayout}
  />
);

const bar = ({ options }) => ({ value, width, height, orientation, alignmentFactors, count }) => (
  <U.BarGauge
    {...{ width, height, orientation, theme }} value={value.display} field={value.field} text={options.text}
    display={value.view?.getFieldDisplayProcessor(value.colIndex)} itemSpacing={10} lcdCellWidth={12}
    alignmentFactors={count > 1 ? alignmentFactors : undefined} displayMode={options.displayMode}
    showUnfilled={options.showUnfilled} valueDisplayMode={options.valueMode} namePlacement={options.namePlacement}
  />
);

const timeRange = { from: D.dateTime(start * 1000), to: D.dateTime(end * 1000), raw: { from: 'now-5m', to: 'now' } };

function Content({ panel, answer, size }) {
  if (panel.type === 'heatmap') return <Note text="a heatmap: Grafana draws it, its published components do not" />;
  if (!answer.data.length && panel.type !== 'bargauge') return <Note text={panel.fieldConfig.defaults.noValue || 'No data'} />;
  switch (panel.type) {
    case 'stat': return <Values {...{ panel, answer, size }} one={stat(panel)} />;
    case 'bargauge': return <Values {...{ panel, answer, size }} one={bar(panel)} />;
    case 'timeseries':
      return <U.TimeSeries {...size} frames={answer.data} {...{ timeRange, theme }} timeZone="utc" legend={panel.options.legend} />;
    case 'table':
      return <TableNG {...size} data={answer.data[0]} initialSortBy={panel.options.sortBy} sortBy={panel.options.sortBy} getActions={() => []} />;
    default: throw new Error(`no component draws a ${panel.type}`);
  }
}

const Note = ({ text }) => (
  <div data-note="" style={{ display: 'grid', placeItems: 'center', height: '100%', color: theme.colors.text.secondary }}>{text}</div>
);

class Shielded extends Component {
  state = {};
  static getDerivedStateFromError(error) { return { error }; }
  render() { return this.state.error ? <Broken error={this.state.error} /> : this.props.children; }
}
const Broken = ({ error }) => <pre data-broken="" style={{ color: 'red', whiteSpace: 'pre-wrap' }}>{String(error)}</pre>;

function Panel({ panel }) {
  const [answer, setAnswer] = useState();
  useEffect(() => {
    if (panel.type !== 'row') framesOf(panel).then(setAnswer, (error) => setAnswer({ error }));
  }, []);
  const unit = (width - GAP) / 24;
  const { x, y, w, h } = panel.gridPos;
  const box = { position: 'absolute', left: GAP + x * unit, top: TOP + y * (ROW + GAP), width: w * unit - GAP, height: h * (ROW + GAP) - GAP };
  if (panel.type === 'row') return <div style={{ ...box, fontWeight: 500, paddingTop: 4 }}>⌄ {panel.title}</div>;
  return (
    <div data-panel={panel.id} data-kind={panel.type} data-none={panel.fieldConfig.defaults.noValue || 'No data'} data-answer={answer && JSON.stringify(answer.error ? {} : { series: answer.series, values: answer.values })} style={box}>
      <U.PanelChrome title={fill(panel.title)} description={panel.description} width={box.width} height={box.height}>
        {(innerWidth, innerHeight) => answer && (
          <Shielded>
            <div data-content="" style={{ width: innerWidth, height: innerHeight }}>
              {answer.error ? <Broken error={answer.error} /> : <Content {...{ panel, answer }} size={{ width: innerWidth, height: innerHeight }} />}
            </div>
          </Shielded>
        )}
      </U.PanelChrome>
    </div>
  );
}

function Page() {
  const height = TOP + Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h)) * (ROW + GAP);
  const choices = dashboard.templating.list.map(({ name, label }) => `${label || name}: ${variables[name]}`);
  return (
    <D.ThemeContext.Provider value={theme}>
      <U.GlobalStyles />
      <div id="page" style={{ position: 'relative', width, height, background: theme.colors.background.canvas, color: theme.colors.text.primary, fontFamily: theme.typography.fontFamily }}>
        <div style={{ padding: '16px 12px', fontSize: 18 }}>
          Hotboard / {dashboard.title}
          <span style={{ fontSize: 13, marginLeft: 16, color: theme.colors.text.secondary }}>{choices.join('   ')}</span>
        </div>
        {dashboard.panels.map((panel) => <Panel key={panel.id} panel={panel} />)}
      </div>
    </D.ThemeContext.Provider>
  );
}

for (const one of Object.values(D.standardTransformers)) {
  if (!D.standardTransformersRegistry.getIfExists(one.id)) {
    D.standardTransformersRegistry.register({ id: one.id, name: one.name, transformation: async () => one, editor: () => null });
  }
}
// what is measured before the font is there is too narrow
document.fonts.load('12px Inter').finally(() => createRoot(document.getElementById('root')).render(<Page />));
