package import CarillonCore

/// The codec of LOOKUP and MESSAGE_STATUS as the server reads and answers them: many of them about one app come
/// together.
extension PointRead {
    /// Reads a request after its app, to its end.
    init(_ opcode: Opcode, from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        if opcode == .lookup {
            self = .device(try reader.device())
        } else {
            self = .status(try reader.messageID())
        }
        try common.finish(&reader)
    }

    /// Reads the payload of a point read about an app; returns nil if it is about another app. `bytes` are not kept.
    ///
    /// It compares the bytes of the app and makes none.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer,
        of opcode: Opcode,
        about app: AppID
    ) throws(WireError) -> (pointRead: PointRead, common: CommonFields)? {
        var reader = PayloadReader(bytes)
        guard try reader.takeApp(equalTo: app) else { return nil }
        var common = CommonFields()
        let pointRead = try PointRead(opcode, from: &reader, common: &common)
        return (pointRead, common)
    }
}

extension PointReadResult {
    package var opcode: Opcode {
        switch self {
        case .device: .lookup
        case .status: .messageStatus
        }
    }
}

extension FrameWriter {
    /// Appends the answer to the point read `id`.
    package mutating func pointReadAnswer(_ answer: PointReadResult, id: UInt64) {
        frame(.answer, opcode: answer.opcode, id: id) { writer in
            switch answer {
            case .device(let device): device.write(to: &writer)
            case .status(let status): status.write(to: &writer)
            }
        }
    }
}
