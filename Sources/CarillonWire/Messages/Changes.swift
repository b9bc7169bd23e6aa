package import CarillonCore

// The doors before `ServerRequest`. Delete them when no caller is left.

extension Change {
    package static func decode(
        _ opcode: Opcode,
        _ bytes: UnsafeRawBufferPointer,
        lastApp: inout AppID?,
        now: Timestamp
    ) throws(WireFault) -> (change: Change, app: AppID, common: CommonFields)? {
        try ServerRequest.decodeChange(opcode, bytes, lastApp: &lastApp, now: now)
    }
}

extension PointRead {
    package static func decode(
        _ opcode: Opcode,
        _ bytes: UnsafeRawBufferPointer,
        lastApp app: inout AppID?
    ) throws(WireFault) -> (pointRead: PointRead, app: AppID, common: CommonFields)? {
        guard opcode == .lookup || opcode == .messageStatus,
            case (.pointRead(let pointRead, of: let app), let common) = try ServerRequest.decode(
                opcode, bytes, lastApp: &app, now: .zero)
        else { return nil }
        return (pointRead, app, common)
    }
}
