import Glibc

/// Runs the target that `CARILLON_FUZZ_TARGET` names. libFuzzer calls it with each input.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(Array(UnsafeBufferPointer(start: start, count: count)))
    chosenTarget.run(&input)
    return 0
}

private let chosenTarget: Target = {
    let name = getenv("CARILLON_FUZZ_TARGET").map { String(cString: $0) }
    if let target = name.flatMap({ Target(rawValue: $0) }) { return target }
    let names = Target.allCases.map(\.rawValue).joined(separator: " ")
    printError("CARILLON_FUZZ_TARGET names none of: \(names)")
    exit(2)
}()

/// Ends the process as a finding if the condition does not hold.
func demand(_ condition: Bool, _ text: @autoclosure () -> String) {
    if condition { return }
    printError("BROKEN: \(text())")
    abort()
}

/// Writes a line to standard error, as libFuzzer does.
func printError(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(2, line, line.count)
}

/// The decoders that get the inputs, which are bytes of a peer, of a user or of the disk. Each has the name of its
/// folder in `Tests/Corpus`.
enum Target: String, CaseIterable {
    case serverSession = "server-session"
    case clientSession = "client-session"
    case frames
    case http2Client = "http2-client"
    case http2Server = "http2-server"
    case apnsAnswer = "apns-answer"
    case payload
    case registry
    case log

    func run(_ input: inout FuzzInput) {
        switch self {
        case .serverSession: ServerSessionTarget.run(&input)
        case .clientSession: ClientSessionTarget.run(&input)
        case .frames: FramesTarget.run(&input)
        case .http2Client: HTTP2ClientTarget.run(&input)
        case .http2Server: HTTP2ServerTarget.run(&input)
        case .apnsAnswer: APNsAnswerTarget.run(&input)
        case .payload: PayloadTarget.run(&input)
        case .registry: RegistryTarget.run(&input)
        case .log: LogTarget.run(&input)
        }
    }
}
