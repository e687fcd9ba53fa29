// The filters, order, colours and time window of a waterfall, all kept in the address.
import { computed } from 'vue';
import { useQuery } from '../../state/query.ts';
import { type Colouring, colourings, connectionsOf, endOf } from './resources.ts';
import { type Moment, momentsOf, parseWindow, type TimeWindow, windowText } from './timeline.ts';
import { metricsOf, type ShownVisit } from './visit-names.ts';
import { filterRows, rowsOf, type Sorting, sortings, sortRows } from './waterfall-rows.ts';

/** More lines than these hide the bars; the table of metrics has all. */
const momentsShown = new Set(['ttfb', 'firstContentfulPaint', 'domContentLoaded', 'largestContentfulPaint', 'onLoad']);
const momentsOfPair = new Set(['firstContentfulPaint', 'largestContentfulPaint', 'onLoad']);

export type WaterfallState = ReturnType<typeof useWaterfall>;

export function useWaterfall(visits: () => readonly ShownVisit[]) {
  const colouring = useQuery<Colouring>('colour', 'protocol', colourings, 'replace');
  const sorting = useQuery<Sorting>('sort', 'start', sortings, 'replace');
  const filter = {
    host: useQuery<string>('host', '', null, 'replace'),
    type: useQuery<string>('type', '', null, 'replace'),
    protocol: useQuery<string>('over', '', null, 'replace'),
    text: useQuery<string>('find', '', null, 'replace'),
    failed: useQuery<'' | 'yes'>('failed', '', ['yes'], 'replace'),
  };
  const time = useQuery<string>('time', '', null, 'replace');
  const opened = useQuery<string>('resource', '', null, 'replace');

  const rows = computed(() => rowsOf(visits()));
  const shown = computed(() =>
    sortRows(
      filterRows(rows.value, {
        ...{ host: filter.host.value, type: filter.type.value, protocol: filter.protocol.value },
        ...{ text: filter.text.value, failed: filter.failed.value === 'yes' },
      }),
      sorting.value,
    ),
  );
  const moments = computed<(Moment & { visit: number })[]>(() =>
    visits().flatMap(({ visit }, index, all) =>
      momentsOf(metricsOf(visit))
        .map((moment) => ({ ...moment, visit: index }))
        .filter(({ metrics }) => metrics.some((metric) => (all.length === 1 ? momentsShown : momentsOfPair).has(metric))),
    ),
  );
  const wholeMs = computed(() => {
    const ends = visits().flatMap(({ resources }) => resources.map(endOf));
    return (
      Math.max(
        10,
        ends.reduce((a, b) => Math.max(a, b), 0),
        ...moments.value.map(({ ms }) => ms),
      ) * 1.02
    );
  });
  const window = computed<TimeWindow>({
    get: () => parseWindow(time.value, wholeMs.value),
    set: (range) => {
      time.value = windowText(range, wholeMs.value);
    },
  });
  return {
    ...{ colouring, sorting, filter, opened, rows, shown, moments, wholeMs, window },
    connections: computed(() => visits().map(({ resources }) => connectionsOf(resources))),
    isFiltered: computed(() => Object.values(filter).some(({ value }) => value !== '')),
    isZoomed: computed(() => window.value.fromMs > 0 || window.value.toMs < wholeMs.value),
  };
}
