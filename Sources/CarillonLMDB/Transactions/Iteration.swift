/// Whether an iteration goes on or stops.
package enum Iteration: Sendable {
    case proceed
    case stop
}
