import CarillonCommandLine
import Foundation

/// A screen that is drawn over and over on the terminal's other page, which leaves what stood there before as it was.
///
/// `end` gives the terminal back; it is called whatever happens, also on Control-C, which asks for the end here.
final class LiveScreen {
    /// Columns and rows.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    private var saved: termios?
    private var hasEnded = false

    /// Takes the terminal: another page, no cursor, and keys come one by one and unseen.
    init() {
        var settings = termios()
        if tcgetattr(STDIN_FILENO, &settings) == 0 {
            saved = settings
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        // Control-Z would leave this page standing in front of the shell.
        signal(SIGTSTP, SIG_IGN)
        Terminal.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Gives the terminal back.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        Terminal.write("\u{1B}[?25h\u{1B}[?1049l")
        if var saved { tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
        signal(SIGTSTP, SIG_DFL)
    }

    deinit { end() }

    /// What the terminal has now; asked at each drawing, so that a change of its size is seen.
    var size: Size {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Draws lines, which must fit; what stood in their place and below is gone. In one piece, so that nothing flickers.
    func draw(_ lines: [String]) {
        Terminal.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    /// Whether somebody has pressed `q` since the last call.
    func isQuitPressed() -> Bool {
        var isPressed = false
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while saved != nil, poll(&waiting, 1, 0) == 1, waiting.revents & Int16(POLLIN) != 0 {
            var key: UInt8 = 0
            guard read(STDIN_FILENO, &key, 1) == 1 else { break }
            if key == UInt8(ascii: "q") || key == UInt8(ascii: "Q") { isPressed = true }
        }
        return isPressed
    }
}
