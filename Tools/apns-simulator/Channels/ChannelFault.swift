import Foundation

/// A refusal by the rules of channels.
struct ChannelFault: Error, Equatable {
    let reason: Reason

    init(_ reason: Reason) { self.reason = reason }
}
