/// The outcomes that a recipient gets without an attempt.
extension MessageContent {
    /// Returns the outcome that a recipient has without an attempt; nil if an attempt is to be made.
    ///
    /// - Parameters:
    ///   - state: the state of the device; nil if it is not registered.
    ///   - kind: the kind of its token.
    ///   - hasLeft: true if it was in the audience when its page was fixed, and is no longer.
    ///   - isMuted: true if the device or a group that it is in is muted.
    ///   - payloadIndex: its payload, chosen by `PayloadChoice`; nil if none fits.
    package func finalOutcome(
        state: DeviceState?, kind: TokenKind, hasLeft: Bool = false, isMuted: Bool = false, payloadIndex: UInt8?
    ) -> Outcome? {
        guard let state else { return .unregistered }
        if state == .quarantined { return .quarantined }
        if !pushType.reaches(kind) { return .wrongKind }
        if hasLeft { return .left }
        if isMuted { return .muted }
        return payloadIndex == nil ? .noLanguage : nil
    }
}
