extension Frame {
    /// The fields of a request that has no fault.
    static let postFields = [":method: POST", ":scheme: https", ":authority: example", ":path: /3/device/aa"]

    /// Makes fields as literals with their names; a name may begin with a colon.
    static func block(_ fields: [String]) -> [UInt8] {
        fields.flatMap { field -> [UInt8] in
            let colon = field.dropFirst().firstIndex(of: ":") ?? field.endIndex
            let (name, value) = (Array(field[..<colon].utf8), Array(field[colon...].dropFirst(2).utf8))
            return [0x00, UInt8(name.count)] + name + [UInt8(value.count)] + value
        }
    }
}
