/// The next step of an iteration, which its body returns: go on or stop.
package enum Iteration: Sendable {
    case proceed
    case stop
}
