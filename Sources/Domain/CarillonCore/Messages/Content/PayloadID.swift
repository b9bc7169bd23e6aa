/// The insertion of a message's id into its payload, beside `aps`, so that the app can report its arrival.
enum PayloadID {
    /// Returns the most bytes that the insertion adds: key and value in quotes, a colon and a comma.
    static func maximumBytes(of key: String) -> Int { key.utf8.count + 20 + 6 }

    /// Returns the payload, a JSON object, with the id as its first member.
    static func insert(_ id: MessageID, under key: String, into payload: [UInt8]) -> [UInt8] {
        guard let open = payload.firstIndex(of: UInt8(ascii: "{")) else { return payload }
        let remainder = payload[(open + 1)...]
        let isEmpty = remainder.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "}")
        return Array(payload[...open]) + Array("\"\(key)\":\"\(id)\"\(isEmpty ? "" : ",")".utf8) + Array(remainder)
    }
}
