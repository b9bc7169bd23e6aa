import CarillonCore
import CarillonWire

/// Returns the payload of a frame with a request.
func payload(_ request: some Operation) -> [UInt8] {
    var writer = FrameWriter()
    writer.request(request, id: 1)
    return Array(writer.bytes.dropFirst(FrameHeader.byteCount))
}

/// Reads a request as the server does.
func decode<O: Operation>(_ type: O.Type, _ payload: [UInt8]) throws(WireError) -> O? {
    let result = payload.withUnsafeBytes { bytes -> Result<O?, WireError> in
        Result { () throws(WireError) in try AnyRequest.decode(bytes, of: O.opcode).request.as(type) }
    }
    return try result.get()
}
