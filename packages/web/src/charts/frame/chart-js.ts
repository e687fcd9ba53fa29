// The parts of Chart.js that the dashboard uses, registered once; loaded with the first chart.
import { BoxAndWiskers, BoxPlotController, Violin, ViolinController } from '@sgratzl/chartjs-chart-boxplot';
import {
  CategoryScale,
  Chart,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  ScatterController,
  Tooltip,
} from 'chart.js';

/** Without the plugin's mark at the median, which is the mark of HTTP/3: the median is drawn above the points. */
class ViolinShape extends Violin {
  static override readonly id = 'violinShape' as never;

  override draw(context: CanvasRenderingContext2D): void {
    const shape = this.getProps(['x', 'y', 'width', 'height', 'min', 'max', 'coords', 'maxEstimate']);
    if (!shape.coords?.length) return;
    context.save();
    context.fillStyle = this.options.backgroundColor;
    context.strokeStyle = this.options.borderColor;
    context.lineWidth = this.options.borderWidth;
    this._drawCoords(context, shape);
    context.restore();
  }
}

Chart.register(
  BoxPlotController,
  BoxAndWiskers,
  ViolinController,
  ViolinShape,
  ScatterController,
  LineController,
  LineElement,
  PointElement,
  LinearScale,
  LogarithmicScale,
  CategoryScale,
  Tooltip,
);
Object.assign(Chart.defaults.datasets.violin, { dataElementType: ViolinShape.id });
Chart.defaults.animation = false;
Chart.defaults.font.family = 'system-ui, sans-serif';

export { Chart };
