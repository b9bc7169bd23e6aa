import CarillonTestKit
import Glibc

/// A port of 127.0.0.1 that refuses connections until the test is over: it is bound, so that no other test gets it, and
/// nothing listens on it.
struct RefusingPort {
    let number: Int

    init() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        CleanUp.add { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
            }
        }
        precondition(isBound, "no port of 127.0.0.1 can be bound")
        number = Int(in_port_t(bigEndian: address.sin_port))
    }
}
