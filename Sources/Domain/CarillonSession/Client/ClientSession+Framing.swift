package import CarillonCore
import CarillonWire

/// Prefaces and frame headers (Protocol 2 and 3).
extension ClientSession {
    /// Reads one preface or frame from the front of `bytes`; call it again, also without bytes, until it needs
    /// more.
    package mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        at now: Uptime
    ) -> (consumed: Int, step: ClientStep) {
        if state.phase == .closed { return (bytes.count, .needMore) }
        if let sessionEnd = closeIfDone() { return (0, .close(sessionEnd)) }
        guard !bytes.isEmpty else { return (0, .needMore) }
        pings.bytesReceived(at: now)
        return state.phase == .preface ? prefaceReceived(bytes) : frameReceived(bytes, at: now)
    }

    private mutating func prefaceReceived(_ bytes: UnsafeRawBufferPointer) -> (consumed: Int, step: ClientStep) {
        let seen = min(bytes.count, Preface.magic.count)
        guard (0..<seen).allSatisfy({ bytes[$0] == Preface.magic[$0] }) else {
            return (bytes.count, .close(close(.foreign)))
        }
        guard bytes.count >= Preface.byteCount else { return (0, .needMore) }
        guard let version = Preface.chosenVersion(bytes), version <= Preface.version else {
            let text = "the server's preface ends with \(Array(bytes[8..<Preface.byteCount])), and not with a version"
            return (bytes.count, .close(garbled("\(text) from 0 to \(Preface.version) and zeros")))
        }
        // With version 0 an error frame follows that says why (Protocol 2).
        state.prefaceAccepted(isVersionRefused: version == 0)
        return (Preface.byteCount, .proceed)
    }

    private mutating func frameReceived(
        _ bytes: UnsafeRawBufferPointer,
        at now: Uptime
    ) -> (consumed: Int, step: ClientStep) {
        guard let header = FrameHeader(bytes) else { return (0, .needMore) }
        guard header.length <= options.receiveLimit else {
            return (bytes.count, .close(garbled("a frame of \(header.length) bytes")))
        }
        if let sessionEnd = closeIfIllegalFrame(header) { return (bytes.count, .close(sessionEnd)) }
        let total = FrameHeader.byteCount + Int(header.length)
        guard bytes.count >= total else { return (0, .needMore) }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount..<total])
        return (total, frameCompleted(header, payload: payload, at: now))
    }

    /// Ends the session if a header is illegal, before its payload has come, so that no memory is held for a bad frame
    /// (Protocol 3); returns nil if it is legal.
    private mutating func closeIfIllegalFrame(_ header: FrameHeader) -> SessionEnd? {
        guard let kind = FrameKind(rawValue: header.kind), kind != .request else {
            return garbled("a frame of kind \(header.kind)")
        }
        let allowed = kind == .control && header.opcode == .ping ? FrameHeader.acknowledgementFlag : 0
        guard header.flags & 0x0F & ~allowed == 0 else { return garbled("a reserved flag is set") }
        if kind == .control { return header.id == 0 ? nil : garbled("a control frame with an id") }
        guard kind == .error || header.id != 0 else { return garbled("an answer or an event with the id 0") }
        if kind == .event { return closeIfIllegalEvent(header) }
        guard let request = requests[header.id] else { return nil }
        guard request.opcode == header.opcode, header.flags >> 4 == 0 else {
            return garbled("an answer that does not fit its request")
        }
        return nil
    }

    private mutating func closeIfIllegalEvent(_ header: FrameHeader) -> SessionEnd? {
        guard isKnownEvent(header) else { return nil }
        // The event was on its way when the client ended the subscription.
        guard subscriptions.contains(header.id) else { return nil }
        guard subscriptions.mayCarryEvent(header.id) else {
            return garbled("an event beyond the credit, or before the answer")
        }
        return nil
    }

    func isKnownEvent(_ header: FrameHeader) -> Bool {
        header.opcode == .subscribeEvents && header.flags >> 4 == 0
    }
}
