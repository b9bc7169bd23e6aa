package import CarillonCore

/// LOOKUP and MESSAGE_STATUS once more, by themselves: they come in great numbers, and a `Request` has room for the largest
/// of all.
extension PointRead {
    /// Reads the payload of a request that is an pointRead; nil if its opcode is another. `bytes` are not kept.
    ///
    /// - Parameter app: the app of the client's last request, which spares making the same one again; then of this one.
    package static func decode(
        _ opcode: Opcode,
        _ bytes: UnsafeRawBufferPointer,
        lastApp app: inout AppID?
    ) throws(WireFault) -> (pointRead: PointRead, app: AppID, common: CommonFields)? {
        guard opcode == .lookup || opcode == .messageStatus else { return nil }
        var reader = PayloadReader(bytes, knownApp: app)
        defer { app = reader.knownApp }
        let app = try reader.app()
        let (pointRead, common) = try decode(opcode, &reader)
        return (pointRead, app, common)
    }

    /// Reads the payload of an pointRead about an app; nil if it is about another. `bytes` are not kept.
    package static func decode(
        _ opcode: Opcode,
        _ bytes: UnsafeRawBufferPointer,
        of app: AppID
    ) throws(WireFault) -> (pointRead: PointRead, common: CommonFields)? {
        var reader = PayloadReader(bytes)
        guard try reader.isNext(app) else { return nil }
        return try decode(opcode, &reader)
    }

    /// Reads what comes after the app.
    private static func decode(
        _ opcode: Opcode, _ reader: inout PayloadReader
    ) throws(WireFault) -> (pointRead: PointRead, common: CommonFields) {
        let pointRead: PointRead
        if opcode == .lookup {
            pointRead = .device(try reader.device())
        } else {
            pointRead = .status(MessageID(rawValue: try reader.u64("message_id")))
        }
        var common = CommonFields()
        try common.finish(&reader)
        return (pointRead, common)
    }

    /// Its opcode.
    package var opcode: Opcode {
        switch self {
        case .device: .lookup
        case .status: .messageStatus
        }
    }
}

extension PointReadResult {
    /// Its opcode: that of its pointRead.
    package var opcode: Opcode {
        switch self {
        case .device: .lookup
        case .status: .messageStatus
        }
    }
}

extension FrameWriter {
    /// Appends the response to the pointRead `id`.
    package mutating func answer(_ answer: PointReadResult, id: UInt64) {
        frame(.response, opcode: answer.opcode, id: id) { writer in
            switch answer {
            case .device(let device): device.write(&writer)
            case .status(let status): status.write(&writer)
            }
        }
    }
}
