// The role of a column: a list to choose from, in the colour of the chosen role.
import { h } from "vue";

export default {
  props: { value: String, roles: Array, label: String, focusKey: String },
  emits: ["pick"],
  render() {
    const option = ([role, words, hint]) => h("option", { value: role, title: hint, selected: role === this.value }, words);
    return h(
      "select",
      {
        class: ["role-select", `role-${this.value}`],
        "aria-label": this.label,
        "data-key": this.focusKey,
        value: this.value,
        onChange: (event) => this.$emit("pick", event.target.value),
      },
      this.roles.map(option),
    );
  },
};
