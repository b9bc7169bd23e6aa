/// The kind of a frame (Protocol 3).
package enum FrameKind: UInt8, Hashable, Sendable {
    case request = 1
    case answer = 2
    case error = 3
    case event = 4
    case control = 5
}
