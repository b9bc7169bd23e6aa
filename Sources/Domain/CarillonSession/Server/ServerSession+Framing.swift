package import CarillonCore
import CarillonWire

/// Prefaces, frames and control frames (Protocol 2 and 3).
extension ServerSession {
    /// Reads one preface or frame from the front of `bytes`.
    ///
    /// - Returns: the number of bytes consumed, 0 with `needMore`, and what to do.
    package mutating func received(_ bytes: UnsafeRawBufferPointer, at now: Moment) -> (
        consumed: Int, step: Step
    ) {
        timers.bytesReceived(at: now.uptime)
        switch state.phase {
        case .transport: return (0, .needMore)
        case .preface: return prefaceReceived(bytes)
        case .hello, .auth, .open: return frameReceived(bytes, at: now)
        case .closed: return (bytes.count, .close)
        }
    }

    /// Reads one frame from the front of `bytes` if it continues a pipeline.
    ///
    /// A frame that does not continue the pipeline, or that has a fault, is left in `bytes`, for the other `received`.
    /// So its error cannot come before the answers to the pipelined requests.
    ///
    /// - Returns: the number of bytes consumed, 0 with `endOfPipeline`, and the request.
    package mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        at now: Moment,
        continuing pipeline: Pipeline
    ) -> (consumed: Int, step: PipelineStep) {
        guard mayRead, let header = FrameHeader(bytes), header.kind == FrameKind.request.rawValue,
            admit(header) == nil, let payload = header.payload(in: bytes),
            let step = pipelinedRequestReceived(header, payload: payload, at: now, continuing: pipeline)
        else { return (0, .endOfPipeline) }
        return (FrameHeader.byteCount + payload.count, step)
    }

    /// Returns true if a whole SEND is at the front of `bytes` and may be read. It may be begun before the point reads
    /// that came earlier are answered, because it does not change their answers.
    package func isSendNext(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard mayRead, !mustFlush, state.drain == .none, let header = FrameHeader(bytes),
            header.kind == FrameKind.request.rawValue, admit(header) == nil
        else { return false }
        return header.opcode == .send && header.payload(in: bytes) != nil
    }

    private mutating func prefaceReceived(_ bytes: UnsafeRawBufferPointer) -> (consumed: Int, step: Step) {
        switch Preface.read(bytes) {
        case .incomplete:
            return (0, .needMore)
        case .foreign:
            state.close()
            return (bytes.count, .close)
        case .malformed:
            output.raw(Preface.serverBytes(choosing: 0))
            let versions = "versions \(bytes[8]) to \(bytes[9])"
            return (
                bytes.count,
                close(.malformed, because: "a preface with \(versions), or with bytes after them that are not 0")
            )
        case .unsupported:
            output.raw(Preface.serverBytes(choosing: 0))
            return (bytes.count, close(.unsupportedVersion, because: "this server speaks version \(Preface.version)"))
        case .accepted:
            output.raw(Preface.serverBytes(choosing: Preface.version))
            state.prefaceAccepted()
            return (Preface.byteCount, .proceed)
        }
    }

    private mutating func frameReceived(
        _ bytes: UnsafeRawBufferPointer,
        at now: Moment
    ) -> (consumed: Int, step: Step) {
        guard let header = FrameHeader(bytes) else {
            if !bytes.isEmpty { timers.frameIsIncomplete(bytes: nil, at: now.uptime) }
            return (0, .needMore)
        }
        if let violation = admit(header) { return (bytes.count, close(violation)) }
        guard let payload = header.payload(in: bytes) else {
            timers.frameIsIncomplete(bytes: UInt64(header.length), at: now.uptime)
            return (0, .needMore)
        }
        timers.frameIsComplete()
        let step =
            header.kind == FrameKind.control.rawValue
            ? controlReceived(header, payload: payload, at: now) : requestReceived(header, payload: payload, at: now)
        return (FrameHeader.byteCount + payload.count, step)
    }

    /// A header that breaks the protocol, so that the connection ends with this error.
    struct FramingViolation {
        var code: ErrorCode
        var text: String
        /// The request that the error names; 0 for no request.
        var id: UInt64 = 0
        var opcode = Opcode.none
        /// The limit that was passed; nil for another violation.
        var limit: UInt32?
    }

    /// Judges a header before its payload has come, so that no memory is held for a bad frame (Protocol 3).
    ///
    /// - Returns: nil if the frame is legal now.
    private func admit(_ header: FrameHeader) -> FramingViolation? {
        let limit = state.phase == .open ? limits.frameBytes : WireLimits.frameBytesBeforeOpen
        guard header.length <= limit else {
            let text = "\(header.length) bytes; the limit is \(limit)"
            return FramingViolation(code: .frameTooLarge, text: text, limit: limit)
        }
        let isControl = header.kind == FrameKind.control.rawValue
        guard isControl || header.kind == FrameKind.request.rawValue else {
            return FramingViolation(code: .malformed, text: "a client does not send frames of kind \(header.kind)")
        }
        let allowedFlags = isControl && header.opcode == .ping ? FrameHeader.acknowledgementFlag : 0
        guard header.flags & 0x0F & ~allowedFlags == 0 else {
            return FramingViolation(code: .malformed, text: "a reserved flag is set")
        }
        if isControl {
            return header.id == 0 ? nil : FramingViolation(code: .malformed, text: "a control frame has id 0")
        }
        guard header.id > requests.lastID else {
            return FramingViolation(code: .badRequestID, text: "request id \(header.id) after \(requests.lastID)")
        }
        guard isLegal(header.opcode) else {
            let text = "opcode \(header.opcode.rawValue) is not legal now"
            return FramingViolation(code: .wrongPhase, text: text, id: header.id, opcode: header.opcode)
        }
        return nil
    }

    /// Returns true if a request is legal in this phase (Protocol 5).
    private func isLegal(_ opcode: Opcode) -> Bool {
        switch state.phase {
        case .hello: opcode == .hello
        case .auth: opcode == .authenticate && requests.isEmpty
        case .open: opcode != .hello && opcode != .authenticate
        case .transport, .preface, .closed: false
        }
    }

    private mutating func controlReceived(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer,
        at now: Moment
    ) -> Step {
        do {
            switch try Control.decode(payload, of: header) {
            case .ping(let ping) where !ping.isAcknowledgement: return pingReceived(ping, at: now)
            case .position(let position): return positionReceived(position)
            case .ping, .goAway, .unknown: return .proceed
            }
        } catch {
            // A client's GOAWAY is ignored, also one that cannot be read.
            return header.opcode == .goAway ? .proceed : close(.malformed, because: error.text)
        }
    }

    private mutating func pingReceived(_ ping: Ping, at now: Moment) -> Step {
        guard client.admitPing(at: now.uptime) else {
            return close(
                .tooManyPings, because: "pings are to be \(limits.minimumPingIntervalMilliseconds) ms apart",
                retryMilliseconds: 1_000)
        }
        output.ping(Ping(isAcknowledgement: true, payload: ping.payload))
        return .proceed
    }
}

extension FrameHeader {
    /// Returns the payload of the frame that begins with this header at the front of `bytes`; nil if it has not come to
    /// its end.
    fileprivate func payload(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let end = Self.byteCount + Int(length)
        return bytes.count >= end ? UnsafeRawBufferPointer(rebasing: bytes[Self.byteCount..<end]) : nil
    }
}
