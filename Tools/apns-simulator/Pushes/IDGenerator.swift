/// Makes the ids of pushes without one, in the form of a UUID. They are unique within a run, and not secret.
final class IDGenerator {
    private var state = UInt64.random(in: .min ... .max)
    private let text = UnsafeMutableRawBufferPointer.allocate(byteCount: 36, alignment: 1)

    deinit { text.deallocate() }

    /// Returns the next id, which is valid until the next call.
    func next() -> UnsafeRawBufferPointer {
        var bits = (random(), random())
        withUnsafeBytes(of: &bits) { bits in
            var digit = 0
            for index in 0..<36 {
                if index == 8 || index == 13 || index == 18 || index == 23 {
                    text[index] = UInt8(ascii: "-")
                    continue
                }
                let byte = bits[digit / 2]
                text[index] = hexDigit(digit.isMultiple(of: 2) ? byte >> 4 : byte & 15)
                digit += 1
            }
        }
        return UnsafeRawBufferPointer(text)
    }

    private func random() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return mix(state, 0xe703_7ed1_a0b4_28db)
    }
}
