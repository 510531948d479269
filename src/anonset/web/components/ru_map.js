// Risk against what is lost, one dot a run; drawn in the colours of the page, light or dark.
import { echarts } from "nicegui-echart";
import { h } from "vue";

const colour = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
const percent = (share) => `${+(100 * share).toPrecision(3)} %`;

export default {
  props: { waiting: Boolean, points: Array, limit: Number, chosen: String, lost: String, label: String },
  emits: ["pick"],
  render() {
    return h("div", { class: "map", role: "img", "aria-label": this.label, "data-points": this.points.length });
  },
  mounted() {
    this.chart = echarts.init(this.$el, null, { renderer: "svg" });
    this.chart.on("click", (event) => event.data?.id && this.$emit("pick", event.data.id));
    this.sized = new ResizeObserver(() => this.chart.resize());
    this.sized.observe(this.$el);
    this.watching = new MutationObserver(() => this.draw());
    this.watching.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.draw();
  },
  beforeUnmount() {
    this.sized.disconnect();
    this.watching.disconnect();
    this.chart.dispose();
  },
  watch: {
    points: { handler: "draw", deep: true },
    waiting: "draw",
    lost: "draw",
    limit: "draw",
    chosen: "draw",
  },
  methods: {
    draw() {
      this.chart.setOption(this.options(), { notMerge: true });
    },
    options() {
      const axis = (name) => ({
        name,
        nameLocation: "middle",
        nameTextStyle: { color: colour("--soft"), fontSize: 13 },
        type: "value",
        min: 0,
        axisLabel: { color: colour("--soft"), formatter: percent },
        axisLine: { show: true, lineStyle: { color: colour("--strong-line") } },
        splitLine: { lineStyle: { color: colour("--line") } },
      });
      return {
        animationDuration: 250,
        textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
        title: this.points.length ? undefined : { text: this.waiting ? "reading the runs …" : "no runs yet", left: "center", top: "middle", textStyle: { color: colour("--soft"), fontSize: 15, fontWeight: 400 } },
        grid: { left: 70, right: 28, top: 28, bottom: 54 },
        tooltip: { backgroundColor: colour("--card"), borderColor: colour("--line"), textStyle: { color: colour("--text") }, formatter: (dot) => tip(dot, this.lost) },
        xAxis: { ...axis(this.lost), nameGap: 32 },
        yAxis: { ...axis("re-identification risk"), nameGap: 50, max: ({ max }) => Math.min(1, 1.2 * Math.max(max, this.limit ?? 0)) },
        series: [this.frontier(), this.dots()],
      };
    },
    frontier() {
      const best = this.points.filter((point) => point.best).sort((a, b) => a.loss - b.loss);
      return {
        type: "line",
        data: best.map((point) => [point.loss, point.risk]),
        step: "end",
        symbol: "none",
        silent: true,
        lineStyle: { color: colour("--accent"), width: 2, type: "dashed" },
        markLine: this.limit && {
          silent: true,
          symbol: "none",
          lineStyle: { color: colour("--bad"), type: "dotted" },
          label: { formatter: "highest risk you accept", position: "insideStartTop", color: colour("--bad") },
          data: [{ yAxis: this.limit }],
        },
      };
    },
    dots() {
      return {
        type: "scatter",
        symbolSize: (_, dot) => (dot.data.id === this.chosen ? 20 : 13),
        data: this.points.map((point) => this.dot(point)),
      };
    },
    dot(point) {
      const picked = point.id === this.chosen;
      return {
        id: point.id,
        value: [point.loss, point.risk],
        label: { show: picked || point.knee, position: "top", color: colour("--text"), formatter: () => point.label },
        symbol: point.best ? "circle" : "emptyCircle",
        itemStyle: { color: colour(picked || point.best ? "--accent" : "--soft"), borderColor: colour("--text"), borderWidth: picked ? 2 : 0 },
        title: point.label,
      };
    },
  },
};

function tip({ data }, lost) {
  const box = document.createElement("div");
  const name = document.createElement("strong");
  name.textContent = data.title;
  const facts = document.createElement("div");
  facts.textContent = `re-identification risk ${percent(data.value[1])} · ${lost} ${percent(data.value[0])}`;
  box.append(name, facts);
  return box;
}
