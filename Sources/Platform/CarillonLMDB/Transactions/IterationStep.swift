/// Says whether an iteration goes on: its body returns it for each row.
package enum IterationStep: Sendable {
    case proceed
    case stop
}
