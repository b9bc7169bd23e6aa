import CarillonCore
import CarillonWire

/// The codecs of payloads: of requests, answers, errors, control frames and events. A value that was read is written,
/// and must be read the same again.
///
/// Byte 0: the kind of the frame and its operation. Then the payload.
enum FramesTarget {
    static func run(_ input: inout FuzzInput) {
        let selector = Int(input.byte())
        let payload = input.rest()
        let opcode = Opcode.served[(selector >> 2) % Opcode.served.count]
        payload.withUnsafeBytes { bytes in
            switch selector & 3 {
            case 0: readRequest(bytes, of: opcode)
            case 1: readAnswer(bytes, of: opcode)
            case 2 where selector & 4 != 0: readEvent(bytes)
            case 2: readError(bytes)
            default: readControl(bytes, as: selector)
            }
        }
    }

    private static func readRequest(_ bytes: UnsafeRawBufferPointer, of opcode: Opcode) {
        do {
            let (request, common) = try AnyRequest.decode(bytes, of: opcode)
            RoundTrip.check(request, common: common)
            guard let batch = request.as(RegisterBatchRequest.self) else { return }
            for case .failure(let fault) in batch.items { RoundTrip.check(RequestError(fault)) }
        } catch {
            RoundTrip.check(RequestError(error))
        }
    }

    private static func readAnswer(_ bytes: UnsafeRawBufferPointer, of opcode: Opcode) {
        do {
            RoundTrip.check(try AnyAnswer.decode(bytes, of: opcode))
        } catch {
            RoundTrip.check(RequestError(error))
        }
    }

    private static func readError(_ bytes: UnsafeRawBufferPointer) {
        do {
            RoundTrip.check(try RequestError(decoding: bytes))
        } catch {
            RoundTrip.check(RequestError(error))
        }
    }

    private static func readEvent(_ bytes: UnsafeRawBufferPointer) {
        do {
            RoundTrip.check(try EventNotice(decoding: bytes))
        } catch {
            RoundTrip.check(RequestError(error))
        }
    }

    private static func readControl(_ bytes: UnsafeRawBufferPointer, as selector: Int) {
        let opcode = selector & 4 == 0 ? Opcode.ping : .goAway
        let flags = UInt8(selector >> 3 & 1)
        let header = FrameHeader(length: UInt32(bytes.count), kind: .control, flags: flags, opcode: opcode, id: 0)
        do {
            guard case .goAway(let goAway) = try Control.decode(bytes, of: header) else { return }
            var writer = FrameWriter()
            writer.goAway(goAway)
            let again = try writer.bytes.withUnsafeBytes { frame in
                try Control.decode(UnsafeRawBufferPointer(rebasing: frame.dropFirst(FrameHeader.byteCount)), of: header)
            }
            demand(again == .goAway(goAway), "a GOAWAY that was written is read differently")
        } catch let fault as WireError {
            RoundTrip.check(RequestError(fault))
        } catch {
            demand(false, "an unknown error: \(error)")
        }
    }
}
