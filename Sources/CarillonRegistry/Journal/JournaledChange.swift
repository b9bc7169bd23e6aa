import CarillonCore
import CarillonWire

/// Changes as the journal holds them: each is the request that asked for it.
///
/// Only changes that come by the million are journaled, and as they come: what no request could say has no form here. Each of them does the same whenever it is applied to the same registry: it
/// brings its time along, and asks for nothing outside.
enum JournaledChange {
    /// Whether the journal has a form for a change.
    static func has(_ change: Change) -> Bool {
        switch change {
        case .register, .unregister, .update, .leave: true
        // Of nobody it is no request.
        case .subscribe(let it), .unsubscribe(let it): !it.devices.isEmpty || !it.groups.isEmpty
        case .join(let join, _): join.leaving == nil && join.announcement == nil
        case .mute, .accept, .record, .updateMessage, .resend, .release, .count, .restore, .note, .acknowledge, .finish:
            false
        }
    }

    /// Whether it has one for all that a job does.
    static func has(_ work: Job.Work) -> Bool {
        switch work {
        case .change(let change): has(change)
        case .changes(let changes): changes.allSatisfy(has)
        case .sweep: false
        }
    }

    /// Whether somebody waits for what a job does. Nobody does for what the server does by itself every now and then.
    static func isAwaited(_ work: Job.Work) -> Bool {
        switch work {
        case .change(.note), .change(.release), .sweep: false
        case .changes(let changes):
            !changes.allSatisfy {
                switch $0 {
                case .note, .release: true
                default: false
                }
            }
        case .change: true
        }
    }

    /// Appends all that a job does, which the journal has a form for.
    static func append(_ work: Job.Work, to frames: inout FrameWriter) {
        switch work {
        case .change(let change): append(change, to: &frames)
        case .changes(let changes): for change in changes { append(change, to: &frames) }
        case .sweep: break
        }
    }

    private static func append(_ change: Change, to frames: inout FrameWriter) {
        let now: Timestamp =
            switch change {
            case .register(_, let now), .unregister(_, _, _, let now), .join(_, let now): now
            default: .zero
            }
        _ = frames.request(for: change, id: now.milliseconds)
    }

    /// The changes of a record.
    ///
    /// - Throws: `.corrupted` if they cannot be read.
    static func changes(in frames: ArraySlice<UInt8>) throws(RegistryError) -> [Change] {
        var changes: [Change] = []
        var (offset, app) = (frames.startIndex, AppID?.none)
        while offset < frames.endIndex {
            let rest = frames[offset...]
            let read = rest.withUnsafeBytes { bytes -> (change: Change?, end: Int)? in
                guard let header = FrameHeader(bytes),
                    bytes.count - FrameHeader.byteCount >= Int(header.length)
                else { return nil }
                let end = FrameHeader.byteCount + Int(header.length)
                let payload = UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount..<end])
                // Why try?: a change that cannot be read is reported below.
                let read = try? ServerRequest.decodeChange(
                    header.opcode, payload, lastApp: &app, now: Timestamp(milliseconds: header.id))
                return (read?.change, offset + end)
            }
            guard let read, let change = read.change, has(change) else {
                throw .corrupted("journal: a change that cannot be read")
            }
            changes.append(change)
            offset = read.end
        }
        return changes
    }
}
