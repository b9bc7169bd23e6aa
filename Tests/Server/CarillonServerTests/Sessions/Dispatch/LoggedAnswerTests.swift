import CarillonCore
import CarillonWire
import Testing

@testable import CarillonServer

/// The answers as the log shows them at level debug.
struct LoggedAnswerTests {
    @Test func `answers are read from the frames that are sent`() {
        var writer = FrameWriter()
        writer.raw(Preface.serverBytes(choosing: 1))
        let acceptance = SendResult(id: MessageID(rawValue: 42), isDuplicate: false, total: 3, ended: 0)
        writer.answer(EncodedAnswer(acceptance, to: SendRequest.self), id: 7)
        writer.error(RequestError(.notFound, message: "no such device"), opcode: RestoreRequest.opcode, id: 8)
        let dryRun = SendResult(id: MessageID(rawValue: 0), isDuplicate: false, total: 3, ended: 0)
        writer.answer(EncodedAnswer(dryRun, to: SendRequest.self), id: 9)
        let joined = JoinAnswer(joined: 1, announcement: MessageID(rawValue: 43), unknown: [])
        writer.answer(EncodedAnswer(joined, to: JoinRequest.self), id: 10)
        #expect(
            LoggedAnswer.all(in: writer.take()) == [
                LoggedAnswer(id: 7, opcode: Message.opcode, message: MessageID(rawValue: 42)),
                LoggedAnswer(id: 8, opcode: RestoreRequest.opcode, error: .notFound),
                LoggedAnswer(id: 9, opcode: Message.opcode),
                LoggedAnswer(id: 10, opcode: JoinRequest.opcode, message: MessageID(rawValue: 43)),
            ])
        #expect(LoggedAnswer.all(in: []) == [])
    }
}
