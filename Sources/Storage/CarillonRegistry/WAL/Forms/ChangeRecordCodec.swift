package import CarillonCore
import CarillonWire

/// Encodes and decodes the mutations of a write-ahead log record, in order: each is a frame.
///
/// Every mutation has a form. The effect of applying it depends on the registry's state and this form alone. The
/// changes that come by the million are the frames of their requests (Protocol 7 to 9), with their time in the place of
/// the frame's id. Everything else has a form of the log's own (``ChangeForm``).
package enum ChangeRecordCodec {
    static func append(_ mutation: Mutation, to frames: inout FrameWriter) {
        switch mutation {
        case .change(let change): append(change, to: &frames)
        case .changes(let changes):
            var together = FrameWriter()
            for change in changes { append(change, to: &together) }
            var writer = FormWriter(.together, number: UInt64(changes.count))
            writer.append(contentsOf: together.bytes)
            writer.finish(into: &frames)
        case .sweep(let now):
            var writer = FormWriter(.sweep, number: now.milliseconds)
            writer.finish(into: &frames)
        }
    }

    private static func append(_ change: Change, to frames: inout FrameWriter) {
        if !frames.loggedRequest(for: change, id: change.loggedTime.milliseconds) {
            FormWriter.append(change, to: &frames)
        }
    }

    /// Decodes the mutations of a record, in order.
    ///
    /// Records from before the log had forms of its own contain changes that take effect together as single changes.
    ///
    /// - Throws: `.corrupted` if they cannot be read.
    static func mutations(in frames: ArraySlice<UInt8>) throws(RegistryError) -> [Mutation] {
        do {
            return try frames.withUnsafeBytes { bytes in
                var mutations = [Mutation]()
                var app = AppID?.none
                try forEachFrame(of: bytes) { header, payload in
                    mutations.append(try mutation(header, payload: payload, lastApp: &app))
                }
                return mutations
            }
        } catch {
            throw error as? RegistryError ?? unreadable
        }
    }

    /// Returns the number of changes of a record, without decoding them; of a record that cannot be decoded, the frames
    /// before the first one without a valid head.
    static func count(in frames: ArraySlice<UInt8>) -> Int {
        frames.withUnsafeBytes { bytes in
            var count = 0
            // Why try?: the count before an error is the answer.
            try? forEachFrame(of: bytes) { header, payload in
                // Each of several changes has a head of its own, which bounds the number that the frame claims.
                let upperBound = UInt64(payload.count / FrameHeader.byteCount)
                count += isGroupOfChanges(header) ? Int(min(header.id, upperBound)) : 1
            }
            return count
        }
    }

    // MARK: Frames

    private static let unreadable = RegistryError.corrupted("data.wal: a change that cannot be read")

    /// Calls `body` with each frame: its head, and the rest of its bytes.
    private static func forEachFrame(
        of bytes: UnsafeRawBufferPointer, _ body: (FrameHeader, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var rest = bytes
        while !rest.isEmpty {
            guard let header = FrameHeader(rest), rest.count - FrameHeader.byteCount >= Int(header.length) else {
                throw unreadable
            }
            let end = FrameHeader.byteCount + Int(header.length)
            try body(header, UnsafeRawBufferPointer(rebasing: rest[FrameHeader.byteCount..<end]))
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
    }

    private static func isGroupOfChanges(_ header: FrameHeader) -> Bool {
        header.kind == ChangeForm.frameKind && header.opcode.rawValue == ChangeForm.together.rawValue
    }

    private static func mutation(
        _ header: FrameHeader, payload: UnsafeRawBufferPointer, lastApp: inout AppID?
    ) throws -> Mutation {
        if header.kind == ChangeForm.frameKind {
            switch ChangeForm(rawValue: header.opcode.rawValue) {
            case .together where header.flags == 0:
                var changes: [Change] = []
                try forEachFrame(of: payload) { header, payload in
                    changes.append(try change(header, payload: payload, lastApp: &lastApp))
                }
                guard UInt64(changes.count) == header.id else { throw unreadable }
                return .changes(changes)
            case .sweep where header.flags == 0 && payload.isEmpty:
                return .sweep(now: Timestamp(milliseconds: header.id))
            default: break
            }
        }
        return .change(try change(header, payload: payload, lastApp: &lastApp))
    }

    private static func change(
        _ header: FrameHeader, payload: UnsafeRawBufferPointer, lastApp: inout AppID?
    ) throws -> Change {
        let time = Timestamp(milliseconds: header.id)
        let change: Change? =
            switch header.kind {
            case FrameKind.request.rawValue where header.flags == 0:
                try ServerRequest.decodeChange(payload, of: header.opcode, lastApp: &lastApp, now: time)?.change
            case ChangeForm.frameKind where header.flags == 0:
                try ChangeForm(rawValue: header.opcode.rawValue).flatMap { form in
                    try payload.withMemoryRebound(to: UInt8.self) { bytes in
                        try ByteReader.read(bytes.span, of: "data.wal") { try form.change(&$0, time: time) }
                    }
                }
            default: nil
            }
        // A change without a time has 0 in its place: other bytes were not written by this program.
        guard let change, change.loggedTime == time else { throw unreadable }
        return change
    }
}

extension ChangeRecordCodec {
    /// Rewrites the mutations of a log record: returns their bytes as this program writes the mutations that it reads.
    /// For the fuzzer.
    ///
    /// - Throws: `.corrupted` if they cannot be read.
    package static func rewritten(mutations bytes: [UInt8]) throws(RegistryError) -> [UInt8] {
        var frames = FrameWriter()
        for mutation in try mutations(in: bytes[...]) {
            append(mutation, to: &frames)
        }
        return frames.bytes
    }
}
