// What the dashboard uses of Chart.js, registered once: a part of its own, loaded with the first chart.
import { BoxAndWiskers, BoxPlotController, Violin, ViolinController } from '@sgratzl/chartjs-chart-boxplot';
import {
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  ScatterController,
  TimeScale,
  Tooltip,
} from 'chart.js';

Chart.register(
  BoxPlotController,
  BoxAndWiskers,
  ViolinController,
  Violin,
  ScatterController,
  LineController,
  LineElement,
  PointElement,
  LinearScale,
  LogarithmicScale,
  CategoryScale,
  TimeScale,
  Tooltip,
  Legend,
);
Chart.defaults.animation = false;
Chart.defaults.font.family = 'system-ui, sans-serif';

export { Chart };
