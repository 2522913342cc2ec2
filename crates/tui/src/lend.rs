//! The terminal, lent to another program for a while: an editor.

use forelook_protocol::{BoxFuture, TerminalLender, TerminalLoan};
use tokio::sync::{mpsc, oneshot};

/// For whoever needs the terminal.
#[derive(Debug, Clone)]
pub struct Borrower(mpsc::Sender<LoanRequest>);

/// For whoever has it.
#[derive(Debug)]
pub struct Lender(pub(crate) mpsc::Receiver<LoanRequest>);

/// Somebody needs the terminal.
#[derive(Debug)]
pub(crate) struct LoanRequest(oneshot::Sender<Loan>);

/// The terminal is the borrower's until this is dropped.
#[derive(Debug)]
pub(crate) struct Loan(Option<oneshot::Sender<()>>);

/// Both ends.
pub fn lending() -> (Borrower, Lender) {
    let (requests, queue) = mpsc::channel(1);
    (Borrower(requests), Lender(queue))
}

impl TerminalLender for Borrower {
    fn borrow(&self) -> BoxFuture<'_, Option<TerminalLoan>> {
        Box::pin(async {
            let (reply, loan) = oneshot::channel();
            self.0.send(LoanRequest(reply)).await.ok()?;
            let loan: TerminalLoan = Box::new(loan.await.ok()?);
            Some(loan)
        })
    }
}

impl LoanRequest {
    /// Hands it over; what comes back tells when it is free again.
    pub(crate) fn grant(self) -> oneshot::Receiver<()> {
        let (back, returned) = oneshot::channel();
        // A borrower that is gone has dropped the loan, which is the same as giving it back.
        let _ = self.0.send(Loan(Some(back)));
        returned
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(back) = self.0.take() {
            let _ = back.send(());
        }
    }
}
