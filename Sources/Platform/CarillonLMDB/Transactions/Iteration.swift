/// The decision of an iteration's body: to go on or to stop.
package enum Iteration: Sendable {
    case proceed
    case stop
}
