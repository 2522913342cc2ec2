echo Hullo
