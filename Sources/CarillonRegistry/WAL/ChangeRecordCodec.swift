import CarillonCore
import CarillonWire

/// Encodes and decodes the changes of a write-ahead log record: each change is the frame of its request.
///
/// Only the changes of bulk ingest have a form, and only as their requests can express them. Each of them has the same
/// effect whenever it is applied to the same registry: it carries its time, and depends on nothing outside.
enum ChangeRecordCodec {
    /// Returns true if a change has a form in the log.
    static func canEncode(_ change: Change) -> Bool {
        switch change {
        case .register, .unregister, .update, .leave: true
        // Without a device and a group it is no request.
        case .subscribe(let subscription), .unsubscribe(let subscription):
            !subscription.devices.isEmpty || !subscription.groups.isEmpty
        case .join(let join, _, _): join.leaving == nil && join.announcement == nil
        case .mute, .accept, .record, .updateMessage, .resend, .release, .count, .restore, .note, .acknowledge,
            .forgetSubscriber, .finish, .configure:
            false
        }
    }

    /// Returns true if all changes of a submission have a form in the log.
    static func canEncode(_ work: Submission.Work) -> Bool {
        switch work {
        case .change(let change): canEncode(change)
        case .changes(let changes): changes.allSatisfy(canEncode)
        case .sweep: false
        }
    }

    /// Returns true if a caller waits for a submission. The periodic work of the server itself is background work.
    static func isForeground(_ work: Submission.Work) -> Bool {
        switch work {
        case .change(.note), .change(.release), .change(.configure), .sweep: false
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

    /// Appends the changes of a submission, all of which have a form.
    static func append(_ work: Submission.Work, to frames: inout FrameWriter) {
        switch work {
        case .change(let change): append(change, to: &frames)
        case .changes(let changes): for change in changes { append(change, to: &frames) }
        case .sweep: break
        }
    }

    private static func append(_ change: Change, to frames: inout FrameWriter) {
        let now: Timestamp =
            switch change {
            case .register(_, let now), .unregister(_, _, _, let now), .join(_, _, let now): now
            default: .zero
            }
        let isEncoded = frames.request(for: change, id: now.milliseconds)
        // An answer says "on disk": a change that is not in the log must never be answered from it.
        precondition(isEncoded, "the log has no form for a change that canEncode accepts")
    }

    /// The number of changes of a record, without decoding them; of a record that cannot be decoded, those before the
    /// first frame that makes no sense.
    static func count(in frames: ArraySlice<UInt8>) -> Int {
        var count = 0
        frames.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let header = FrameHeader(UnsafeRawBufferPointer(rebasing: rest)),
                rest.count - FrameHeader.byteCount >= Int(header.length)
            {
                rest = rest.dropFirst(FrameHeader.byteCount + Int(header.length))
                count += 1
            }
        }
        return count
    }

    /// Decodes the changes of a record.
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
            guard let read, let change = read.change, canEncode(change) else {
                throw .corrupted("journal: a change that cannot be read")
            }
            changes.append(change)
            offset = read.end
        }
        return changes
    }
}
