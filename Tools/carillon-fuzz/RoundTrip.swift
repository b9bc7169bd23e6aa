import CarillonCore
import CarillonWire

/// Checks that a decoded value is read the same again after it was written.
enum RoundTrip {
    static func check(_ request: AnyRequest, common: CommonFields = CommonFields()) {
        var readable = request
        if let batch = request.as(RegisterBatchRequest.self) {
            // Only the items that could be read are written.
            if batch.registrations.isEmpty { return }
            readable = AnyRequest(RegisterBatchRequest(batch.registrations))
        }
        let bytes = payload { $0.request(readable, id: 1, common: common) }
        do {
            let again = try bytes.withUnsafeBytes { bytes in
                try AnyRequest.decode(bytes, of: request.opcode)
            }
            demand(
                again.request == readable && again.common == common,
                "a request that was written is read differently: \(readable)")
        } catch {
            demand(false, "a request that was read is refused when it is written: \(error)")
        }
    }

    static func check(_ answer: AnyAnswer) {
        let bytes = payload { $0.answer(answer, id: 1) }
        do {
            let again = try bytes.withUnsafeBytes { bytes in
                try AnyAnswer.decode(bytes, of: answer.opcode)
            }
            demand(
                payload { $0.answer(again, id: 1) } == bytes,
                "an answer that was written is read differently: \(answer)")
        } catch {
            demand(false, "an answer that was read is refused when it is written: \(error)")
        }
    }

    /// Checks an error that was decoded, or that a peer gets for a fault.
    static func check(_ error: RequestError) {
        let bytes = payload { $0.error(error, opcode: .send, id: 1) }
        demand(bytes.count <= 1_100, "an error of \(bytes.count) bytes")
        do {
            let again = try bytes.withUnsafeBytes { try RequestError(decoding: $0) }
            demand(
                payload { $0.error(again, opcode: .send, id: 1) } == bytes,
                "an error that was written is read differently: \(error)")
        } catch {
            demand(false, "an error that was written cannot be read: \(error)")
        }
    }

    static func check(_ notice: EventNotice) {
        let bytes = payload { $0.event(notice, subscription: 1) }
        demand(bytes.count < 1_024, "an event of \(bytes.count) bytes")
        do {
            let again = try bytes.withUnsafeBytes { try EventNotice(decoding: $0) }
            demand(again == notice, "an event that was written is read differently: \(notice)")
        } catch {
            demand(false, "an event that was written cannot be read: \(error)")
        }
    }

    private static func payload(_ write: (inout FrameWriter) -> Void) -> [UInt8] {
        var writer = FrameWriter()
        write(&writer)
        return Array(writer.bytes.dropFirst(FrameHeader.byteCount))
    }
}
