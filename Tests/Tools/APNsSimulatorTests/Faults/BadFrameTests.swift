import CarillonSimulator
import Testing

/// The frames that a server must not send, as bytes.
struct BadFrameTests {
    /// A client must meet the fault itself, not a length that is wrong by mistake.
    @Test(arguments: BadFrame.allCases.filter { $0 != .garbage })
    func `each frame is as long as its header says`(_ kind: BadFrame) {
        let headerBytes = 9
        var rest = kind.bytes(stream: 1)[...]
        while rest.count >= headerBytes {
            let length = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(headerBytes + length)
        }
        #expect(rest.isEmpty)
    }
}
